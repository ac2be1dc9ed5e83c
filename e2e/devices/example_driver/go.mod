module podium.dev/e2e/devices/example_driver

go 1.26

require sigs.k8s.io/dra-example-driver v0.3.0
