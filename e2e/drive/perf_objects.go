package main

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// resourceOf returns the client of an object's kind; of the namespace, if the kind is in namespaces.
func (r *perfRun) resourceOf(object *unstructured.Unstructured, namespace string) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := r.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return r.dynamic.Resource(mapping.Resource).Namespace(namespace), nil
	}
	return r.dynamic.Resource(mapping.Resource), nil
}

// each reads the template for 0..count-1, and calls f with the object and the client of its kind.
func (r *perfRun) each(ctx context.Context, o operation, f func(dynamic.ResourceInterface, *unstructured.Unstructured) error) error {
	if err := r.createNamespace(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o.Namespace}}); err != nil {
		return err
	}
	return perSecond(ctx, o.Count, o.UpdatePerSecond, func(i int) error {
		object := &unstructured.Unstructured{}
		if err := r.fromTemplate(o.TemplatePath, o.TemplateParams, i, o.Count, object); err != nil {
			return err
		}
		client, err := r.resourceOf(object, o.Namespace)
		if err != nil {
			return err
		}
		return f(client, object)
	})
}

func (r *perfRun) createAny(ctx context.Context, _ int, o operation) error {
	return r.each(ctx, o, func(client dynamic.ResourceInterface, object *unstructured.Unstructured) error {
		_, err := client.Create(ctx, object, metav1.CreateOptions{FieldValidation: "Strict"})
		return err
	})
}

func (r *perfRun) updateAny(ctx context.Context, _ int, o operation) error {
	return r.each(ctx, o, func(client dynamic.ResourceInterface, object *unstructured.Unstructured) error {
		options := metav1.UpdateOptions{FieldValidation: "Strict"}
		if _, err := client.Update(ctx, object, options, o.Subresources...); err != nil {
			return err
		}
		_, err := client.UpdateStatus(ctx, object, options)
		return err
	})
}

// churn creates objects during the next operations; with mode "recreate" it deletes and creates them in turns.
func (r *perfRun) churn(ctx context.Context, index int, o operation) error {
	namespace, err := r.named(ctx, o.Namespace, index)
	if err != nil {
		return err
	}
	if o.IntervalMilliseconds == 0 {
		o.IntervalMilliseconds = 500
	}
	var clients []dynamic.ResourceInterface
	var objects []*unstructured.Unstructured
	for _, path := range o.TemplatePaths {
		object := &unstructured.Unstructured{}
		if err := r.fromTemplate(path, nil, 0, 1, object); err != nil {
			return err
		}
		client, err := r.resourceOf(object, namespace)
		if err != nil {
			return err
		}
		clients, objects = append(clients, client), append(objects, object)
	}
	go background(ctx, o.Opcode, func() error {
		names := make([]map[int]string, len(clients))
		for i := range names {
			names[i] = map[int]string{}
		}
		tick := time.NewTicker(time.Duration(o.IntervalMilliseconds) * time.Millisecond)
		defer tick.Stop()
		for round := 0; o.Mode == "recreate" || o.Number == 0 || round < o.Number; round++ {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
			for i, client := range clients {
				slot := round
				if o.Mode == "recreate" {
					slot = round % o.Number
				}
				if name, there := names[i][slot]; there {
					if err := client.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
						return err
					}
					delete(names[i], slot)
					continue
				}
				made, err := client.Create(ctx, objects[i], metav1.CreateOptions{})
				if err != nil {
					return err
				}
				names[i][slot] = made.GetName()
			}
		}
		return nil
	})
	return nil
}
