// The root of this module only: known_fields.py builds it with the requirements of tools/kube.
module podium.dev/tools/kube

go 1.26.0
