// extender is an HTTP extender for tests. It decodes and encodes upstream's own types.
//
// PUT /behaviour sets its next answers, GET /requests returns the requests since then. It serves POST /filter, /prioritize,
// /preempt and /bind; it binds through the API server with --token.
package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// behaviour scripts the next answers. Nodes are given by name.
type behaviour struct {
	Failed       map[string]string // filter: rejected, with the reason
	Unresolvable map[string]string // filter: rejected as unresolvable by preemption
	Dropped      []string          // filter: left out without a reason
	Invented     []string          // filter: added though not in the request
	Error        string            // filter, bind: the error in the result
	Status       map[string]int    // by verb: the HTTP status instead of an answer
	Scores       map[string]int64  // prioritize
	// preempt: victims by node instead of the proposed ones; nodes are left out as by filter.
	Victims map[string]victims
}

// victims are pods of a node by UID.
type victims struct {
	UIDs       []string
	Violations int64
}

// request is a served request, as far as tests need it.
type request struct {
	Verb      string
	Pod       string            // namespace/name
	PodLabels map[string]string // as on the API server: podium keeps fields that it does not read
	PodImage  string
	Nodes     []string // full nodes, by name
	Labels    []string // their hostname labels
	NodeNames []string // nodes by name only
	Node      string   // bind
	// preempt: by node, the victims' names (UIDs for an extender with a cache), and the number of violated budgets.
	Victims map[string]candidate
}

type candidate struct {
	Names, UIDs, Images []string
	Violations          int64
}

type server struct {
	mu        sync.Mutex
	behaviour behaviour
	requests  []request
	api       string
	token     string
}

func (s *server) note(r request) behaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	return s.behaviour
}

// decode refuses fields that upstream's type does not have.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(into)
	}
	if err != nil {
		log.Printf("%s: %v", r.URL.Path, err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func answer(w http.ResponseWriter, status int, value any) {
	if status != 0 {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

func noted(verb string, args *extenderv1.ExtenderArgs) request {
	r := request{Verb: verb, Pod: args.Pod.Namespace + "/" + args.Pod.Name, PodLabels: args.Pod.Labels,
		PodImage: args.Pod.Spec.Containers[0].Image}
	if args.NodeNames != nil {
		r.NodeNames = *args.NodeNames
		slices.Sort(r.NodeNames)
	}
	if args.Nodes != nil {
		for _, node := range args.Nodes.Items {
			r.Nodes = append(r.Nodes, node.Name)
			r.Labels = append(r.Labels, node.Labels[v1.LabelHostname])
		}
		slices.Sort(r.Nodes)
		slices.Sort(r.Labels)
	}
	return r
}

func (s *server) filter(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderArgs
	if !decode(w, r, &args) {
		return
	}
	b := s.note(noted("filter", &args))
	out := func(name string) bool {
		_, failed := b.Failed[name]
		_, unresolvable := b.Unresolvable[name]
		return failed || unresolvable || slices.Contains(b.Dropped, name)
	}
	result := extenderv1.ExtenderFilterResult{FailedNodes: extenderv1.FailedNodesMap{},
		FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{}, Error: b.Error}
	give := func(name string) {
		if reason, ok := b.Failed[name]; ok {
			result.FailedNodes[name] = reason
		}
		if reason, ok := b.Unresolvable[name]; ok {
			result.FailedAndUnresolvableNodes[name] = reason
		}
	}
	if args.NodeNames != nil {
		names := slices.Clone(b.Invented)
		for _, name := range *args.NodeNames {
			give(name)
			if !out(name) {
				names = append(names, name)
			}
		}
		result.NodeNames = &names
	} else {
		result.Nodes = &v1.NodeList{}
		for _, node := range args.Nodes.Items {
			give(node.Name)
			if !out(node.Name) {
				result.Nodes.Items = append(result.Nodes.Items, node)
			}
		}
	}
	answer(w, b.Status["filter"], result)
}

func (s *server) prioritize(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderArgs
	if !decode(w, r, &args) {
		return
	}
	noted := noted("prioritize", &args)
	b := s.note(noted)
	result := extenderv1.HostPriorityList{}
	for _, name := range append(noted.Nodes, noted.NodeNames...) {
		result = append(result, extenderv1.HostPriority{Host: name, Score: b.Scores[name]})
	}
	answer(w, b.Status["prioritize"], result)
}

// preempt answers with UIDs in either form, as upstream expects.
func (s *server) preempt(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderPreemptionArgs
	if !decode(w, r, &args) {
		return
	}
	noted := request{Verb: "preempt", Pod: args.Pod.Namespace + "/" + args.Pod.Name, PodLabels: args.Pod.Labels,
		PodImage: args.Pod.Spec.Containers[0].Image, Victims: map[string]candidate{}}
	result := extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{}}
	give := func(node string, uids []string, violations int64) {
		meta := &extenderv1.MetaVictims{Pods: []*extenderv1.MetaPod{}, NumPDBViolations: violations}
		for _, uid := range uids {
			meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: uid})
		}
		result.NodeNameToMetaVictims[node] = meta
	}
	for node, proposed := range args.NodeNameToMetaVictims {
		c := candidate{Violations: proposed.NumPDBViolations}
		for _, pod := range proposed.Pods {
			c.UIDs = append(c.UIDs, pod.UID)
		}
		noted.Victims[node] = c
		give(node, c.UIDs, c.Violations)
	}
	for node, proposed := range args.NodeNameToVictims {
		c := candidate{Violations: proposed.NumPDBViolations}
		for _, pod := range proposed.Pods {
			c.Names = append(c.Names, pod.Name)
			c.UIDs = append(c.UIDs, string(pod.UID))
			c.Images = append(c.Images, pod.Spec.Containers[0].Image)
		}
		noted.Victims[node] = c
		give(node, c.UIDs, c.Violations)
	}
	b := s.note(noted)
	for _, node := range b.Dropped {
		delete(result.NodeNameToMetaVictims, node)
	}
	for node, v := range b.Victims {
		give(node, v.UIDs, v.Violations)
	}
	answer(w, b.Status["preempt"], result)
}

func (s *server) bind(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderBindingArgs
	if !decode(w, r, &args) {
		return
	}
	b := s.note(request{Verb: "bind", Pod: args.PodNamespace + "/" + args.PodName, Node: args.Node})
	result := extenderv1.ExtenderBindingResult{Error: b.Error}
	if result.Error == "" && b.Status["bind"] == 0 {
		if err := s.bindAtServer(&args); err != nil {
			result.Error = err.Error()
		}
	}
	answer(w, b.Status["bind"], result)
}

func (s *server) bindAtServer(args *extenderv1.ExtenderBindingArgs) error {
	binding := v1.Binding{Target: v1.ObjectReference{Kind: "Node", Name: args.Node}}
	binding.APIVersion, binding.Kind = "v1", "Binding"
	binding.Name, binding.Namespace, binding.UID = args.PodName, args.PodNamespace, args.PodUID
	body, err := json.Marshal(binding)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s/binding", s.api, args.PodNamespace, args.PodName)
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(reply.Body)
		return fmt.Errorf("%s: %s", reply.Status, text)
	}
	return nil
}

func (s *server) setBehaviour(w http.ResponseWriter, r *http.Request) {
	var b behaviour
	if !decode(w, r, &b) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behaviour, s.requests = b, nil
}

func (s *server) getRequests(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer(w, 0, append([]request{}, s.requests...))
}

func main() {
	address := flag.String("address", "127.0.0.1:0", "address to listen on")
	certificate := flag.String("tls-cert-file", "", "serve HTTPS with this certificate")
	key := flag.String("tls-private-key-file", "", "the certificate's key")
	s := &server{}
	flag.StringVar(&s.api, "api", "", "URL of the API server, for binding")
	flag.StringVar(&s.token, "token", "", "bearer token for the API server")
	flag.Parse()
	// A test's API server has a self-made certificate.
	http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}

	mux := http.NewServeMux()
	mux.HandleFunc("POST /filter", s.filter)
	mux.HandleFunc("POST /prioritize", s.prioritize)
	mux.HandleFunc("POST /preempt", s.preempt)
	mux.HandleFunc("POST /bind", s.bind)
	mux.HandleFunc("PUT /behaviour", s.setBehaviour)
	mux.HandleFunc("GET /requests", s.getRequests)
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	if *certificate != "" {
		log.Fatal(http.ServeTLS(listener, mux, *certificate, *key))
	}
	log.Fatal(http.Serve(listener, mux))
}
