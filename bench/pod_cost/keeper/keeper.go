package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// More events than a run has pods: a slow reader does not hold up the others.
const eventsAhead = 200_000

type keeper struct {
	nodes int
	delay time.Duration
	crd   []byte

	mu                                 sync.Mutex
	version                            int64
	pods                               map[string]*pod
	watchers                           map[chan string]bool
	bound, events, reports, namespaces int
}

func newKeeper(nodes int, delay time.Duration, crd []byte) *keeper {
	return &keeper{nodes: nodes, delay: delay, crd: crd, version: 100_000, namespaces: 8, pods: map[string]*pod{},
		watchers: map[chan string]bool{}}
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	path, query := r.URL.Path, r.URL.Query()
	parts := strings.Split(strings.Trim(path, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case path == "/keeper/create":
		k.create(query.Get("namespace"), query.Get("kind"), number(query.Get("from")), number(query.Get("count")),
			float64(number(query.Get("rate"))))
		reply(w, 200, "{}")
	case path == "/keeper/counts":
		k.mu.Lock()
		counts := fmt.Sprintf(`{"bound":%d,"events":%d,"reports":%d}`, k.bound, k.events, k.reports)
		k.mu.Unlock()
		reply(w, 200, counts)
	case path == "/apis":
		reply(w, 200, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"podium.dev","versions":[{`+
			`"groupVersion":"podium.dev/v1alpha1","version":"v1alpha1"}]},{"name":"apps","versions":[{"version":"v1"}]},`+
			`{"name":"events.k8s.io","versions":[{"version":"v1"}]}]}`)
	case last == "binding" && r.Method == "POST":
		k.bind(w, parts[3]+"/"+parts[5], body)
	case last == "events" && r.Method == "POST":
		k.count(&k.events)
		reply(w, 201, string(body))
	case strings.Contains(path, "schedulingreports") && r.Method == "POST":
		k.createReport(w, body)
	case strings.Contains(path, "schedulingreports") && r.Method == "PATCH":
		k.count(&k.reports)
		k.replyReport(w, 200, map[string]any{"name": parts[len(parts)-2], "namespace": parts[4], "uid": uid,
			"labels": map[string]any{"podium.dev/report": "decision", "podium.dev/outcome": "Scheduled",
				"podium.dev/expires": "202601010100"},
			"annotations": map[string]any{"podium.dev/ttl": "3600", "podium.dev/bytes": "4000"}})
	case r.Method != "GET":
		reply(w, 200, string(body))
	case strings.Contains(path, "customresourcedefinitions"):
		reply(w, 200, string(k.crd))
	case query.Get("watch") != "":
		k.watch(w, r)
	default:
		k.mu.Lock()
		version := k.version
		k.mu.Unlock()
		reply(w, 200, fmt.Sprintf(`{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[]}`, version))
	}
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

// The headers are those of the API server.
func reply(w http.ResponseWriter, code int, body string) {
	header := w.Header()
	header.Set("Audit-Id", uid)
	header.Set("Cache-Control", "no-cache, private")
	header.Set("Content-Type", "application/json")
	header.Set("X-Kubernetes-Pf-Flowschema-Uid", uid)
	header.Set("X-Kubernetes-Pf-Prioritylevel-Uid", uid)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	io.WriteString(w, body)
}

func (k *keeper) count(what *int) {
	k.mu.Lock()
	*what++
	k.mu.Unlock()
}

// With k.mu locked.
func (k *keeper) next() int64 {
	k.version++
	return k.version
}

// With k.mu locked.
func (k *keeper) emit(kind string, p *pod) {
	line := `{"type":"` + kind + `","object":` + p.json() + "}\n"
	for watcher := range k.watchers {
		watcher <- line
	}
}

// rate: pods a second; 0: as fast as possible.
func (k *keeper) create(namespace, kind string, from, count int, rate float64) {
	began := time.Now()
	for i := range count {
		if rate > 0 {
			time.Sleep(time.Until(began.Add(time.Duration(float64(i) / rate * float64(time.Second)))))
		}
		k.mu.Lock()
		p := &pod{namespace: namespace, name: fmt.Sprintf("p-%06d", from+i), kind: kind, version: k.next()}
		k.pods[p.key()] = p
		k.emit("ADDED", p)
		k.mu.Unlock()
	}
}

func (k *keeper) bind(w http.ResponseWriter, key string, body []byte) {
	var binding struct{ Target struct{ Name string } }
	if err := json.Unmarshal(body, &binding); err != nil {
		reply(w, 400, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":400,"reason":"BadRequest"}`)
		return
	}
	time.Sleep(k.delay)
	k.mu.Lock()
	p := k.pods[key]
	if p != nil {
		p.node, p.version = binding.Target.Name, k.next()
		k.bound++
		k.emit("MODIFIED", p)
	}
	k.mu.Unlock()
	if p == nil {
		reply(w, 404, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,"reason":"NotFound"}`)
		return
	}
	reply(w, 201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`)
}

func (k *keeper) createReport(w http.ResponseWriter, body []byte) {
	var report struct{ Metadata map[string]any }
	if err := json.Unmarshal(body, &report); err != nil || report.Metadata == nil {
		reply(w, 400, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":400,"reason":"BadRequest"}`)
		return
	}
	report.Metadata["uid"] = uid
	k.replyReport(w, 201, report.Metadata)
}

func (k *keeper) replyReport(w http.ResponseWriter, code int, metadata map[string]any) {
	k.mu.Lock()
	metadata["resourceVersion"] = strconv.FormatInt(k.next(), 10)
	k.mu.Unlock()
	metadata["creationTimestamp"], metadata["generation"], metadata["managedFields"] = created, 1, reportFields
	out, _ := json.Marshal(map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
	reply(w, code, string(out))
}

// The objects that exist when a watch begins.
func (k *keeper) initial(path string) []byte {
	var out bytes.Buffer
	add := func(object string) { out.WriteString(`{"type":"ADDED","object":` + object + "}\n") }
	switch path {
	case "/api/v1/nodes":
		for i := range k.nodes {
			add(nodeJSON(i))
		}
	case "/api/v1/namespaces":
		for i := range k.namespaces {
			add(fmt.Sprintf(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"ns%d","resourceVersion":"1",`+
				`"labels":{"kubernetes.io/metadata.name":"ns%d"}}}`, i, i))
		}
	}
	fmt.Fprintf(&out, `{"type":"BOOKMARK","object":{"kind":"X","apiVersion":"v1","metadata":{"resourceVersion":"%d",`+
		`"annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", k.version)
	return out.Bytes()
}

func (k *keeper) watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	events := make(chan string, eventsAhead)
	k.mu.Lock()
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		w.Write(k.initial(r.URL.Path))
	}
	if r.URL.Path == "/api/v1/pods" {
		k.watchers[events] = true
	}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		delete(k.watchers, events)
		k.mu.Unlock()
	}()
	flusher := w.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case line := <-events:
			io.WriteString(w, line)
			if len(events) == 0 {
				flusher.Flush()
			}
		}
	}
}
