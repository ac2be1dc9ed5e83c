// The forms of names and labels without their bounds of length, and upstream's texts about these and about
// the requirements of selectors: the configuration and the pods' node selectors give the same errors.
//
// Source: apimachinery pkg/api/validate/content, pkg/labels/selector.go. Threads: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace podium::api {

inline constexpr std::size_t kLongestName = 63;  // also of labels
inline constexpr std::size_t kLongestSubdomain = 253;

bool has_form_of_name(std::string_view text);       // ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool has_form_of_dns_label(std::string_view text);  // [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool has_form_of_dns_subdomain(std::string_view text);

inline constexpr std::string_view kLabelValueError =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
// For selectors of pods. Source: pkg/apis/meta/v1/validation.
inline constexpr std::string_view kValuesRequiredError =
    "must be specified when `operator` is 'In' or 'NotIn'";
inline constexpr std::string_view kValuesForbiddenError =
    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
// For node selectors and labels.Selector.
inline constexpr std::string_view kNoValuesError = "for 'in', 'notin' operators, values set can't be empty";
inline constexpr std::string_view kValuesOfExistsError =
    "values set must be empty for exists and does not exist";
inline constexpr std::string_view kOneValueError = "for 'Gt', 'Lt' operators, exactly one value is required";
inline constexpr std::string_view kIntegerError = "for 'Gt', 'Lt' operators, the value must be an integer";
inline constexpr std::string_view kOneElementError = "must have one element";

}  // namespace podium::api
