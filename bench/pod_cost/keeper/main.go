// keeper: an API server that only keeps pods, so that a run measures the scheduler and not etcd.
//
// It serves nodes that are all alike, takes bindings and confirms them by watch, and answers every other write as the API
// server does, without keeping it. GET /keeper/create makes pods, GET /keeper/counts says what was written. In DIR it writes
// its certificate (ca.pem) and port (port), and it serves DIR/crd.json as podium's CustomResourceDefinition.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

func main() {
	dir := flag.String("dir", ".", "directory of the files")
	nodes := flag.Int("nodes", 5000, "number of nodes")
	delay := flag.Duration("delay", 0, "wait before the reply to a binding")
	flag.Parse()
	crd, err := os.ReadFile(filepath.Join(*dir, "crd.json"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := listen(*dir)
	if err != nil {
		log.Fatal(err)
	}
	keeper := newKeeper(*nodes, *delay, crd)
	log.Fatal((&http.Server{Handler: keeper}).Serve(listener))
}

func listen(dir string) (net.Listener, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "keeper"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), authority, 0o644); err != nil {
		return nil, err
	}
	certificate := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return nil, err
	}
	// Renamed when it is complete: its reader waits for the name.
	port := filepath.Join(dir, "port")
	if err := os.WriteFile(port+".new", fmt.Append(nil, listener.Addr().(*net.TCPAddr).Port), 0o644); err != nil {
		return nil, err
	}
	return listener, os.Rename(port+".new", port)
}
