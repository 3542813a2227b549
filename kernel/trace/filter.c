/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: parsing a text into a tree (node.h). <kernel/trace/filter.h> describes the language.
 *
 * The nodes are in one allocation, whose size follows from the text: each node but the first three has a
 * character of its own. Only parentheses and ! make the tree deep; the depth is limited, because the tree is
 * walked where a kernel stack may be nearly full.
 */
#include <kernel/trace/filter.h>

#include <stdint.h>
#include <string.h>

#include <kernel/base/cpu_list.h>
#include <kernel/base/symbol.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/trace/event.h>
#include <uapi/linux/errno.h>

#include "node.h"

#define DEPTH_MAX    32
/* Longest number, and longest name of a function: Linux's num_buf in parse_pred, and KSYM_NAME_LEN. */
#define NUMBER_MAX   24
#define FUNCTION_MAX 512

/* In the order of the search: no operator is a prefix of a later one. */
static const char *const relations[] = {
	[EQUAL] = "==",	   [NOT_EQUAL] = "!=", [AT_MOST] = "<=", [LESS] = "<",
	[AT_LEAST] = ">=", [GREATER] = ">",    [HAS_BITS] = "&", [LIKE] = "~",
};

#define RELATIONS (sizeof(relations) / sizeof(relations[0]))

struct parser {
	const struct trace_event *event;
	struct trace_filter *filter;
	const char *text, *at;
	struct trace_filter_error *error;
	unsigned int depth;
};

/* Stores a fault in the text at AT, in Linux's words; returns ERROR. */
static int fail(struct parser *parser, const char *at, const char *words, int error)
{
	parser->error->words = words;
	parser->error->offset = (size_t)(at - parser->text);
	return error;
}

/* The same for a comparison: Linux's offset is one more. */
static int fail_in(struct parser *parser, const char *at, const char *words)
{
	return fail(parser, *at ? at + 1 : at, words, -EINVAL);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Characters are those of Latin 1, as in Linux (lib/ctype.c). */
#define NO_BREAK_SPACE 0xa0
#define FIRST_LETTER   0xc0
#define MULTIPLICATION 0xd7
#define DIVISION       0xf7

static bool is_word(char c)
{
	unsigned char latin = (unsigned char)c;

	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (latin >= FIRST_LETTER && latin != MULTIPLICATION && latin != DIVISION);
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (unsigned char)c == NO_BREAK_SPACE;
}

static void skip_spaces(struct parser *parser)
{
	while (is_space(*parser->at))
		parser->at++;
}

/* True if TOKEN is next; steps past it. */
static bool take(struct parser *parser, const char *token)
{
	size_t length = strlen(token);

	if (strncmp(parser->at, token, length) != 0)
		return false;
	parser->at += length;
	return true;
}

static struct node *new_node(struct parser *parser, enum node_kind kind)
{
	struct node *node = parser->filter->free_node++;

	node->kind = kind;
	return node;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

/* Sets NODE's source by the field's type, as Linux's filter_assign_type. */
static void set_source(struct node *node, const struct trace_place *place)
{
	node->offset = place->offset;
	node->size = place->size;
	node->is_signed = place->is_signed;
	if (!strcmp(place->type, "__data_loc char[]"))
		node->source = SOURCE_STRING_AT;
	else if (!strcmp(place->type, "char") && place->array[0])
		node->source = SOURCE_CHARS;
	else if (place->array[0])
		node->source = SOURCE_ARRAY;
	else if (ends_with(place->type, "char *"))
		node->source = SOURCE_POINTER;
	else
		node->source = SOURCE_NUMBER;
}

/* Finds the field called NAME, of LENGTH bytes, among the fields FROM … END - 1. */
static bool find_among(struct parser *parser, struct node *node, const char *name, size_t length,
		       unsigned int from, unsigned int end)
{
	struct trace_place place;

	for (; from < end && trace_field_get(parser->event, from, &place); from++) {
		if (strlen(place.name) != length || memcmp(place.name, name, length) != 0)
			continue;
		set_source(node, &place);
		return true;
	}
	return false;
}

/* The event's own fields are found before the common ones. */
static bool find_field(struct parser *parser, struct node *node, const char *name, size_t length)
{
	if (find_among(parser, node, name, length, TRACE_COMMON_FIELDS, UINT32_MAX))
		return true;
	if (length == 3 && (!memcmp(name, "cpu", 3) || !memcmp(name, "CPU", 3))) {
		node->source = SOURCE_CPU;
		node->size = sizeof(int);
		node->is_signed = true;
		return true;
	}
	if (length == 4 && (!memcmp(name, "comm", 4) || !memcmp(name, "COMM", 4))) {
		node->source = SOURCE_COMM;
		return true;
	}
	return find_among(parser, node, name, length, 0, TRACE_COMMON_FIELDS);
}

static bool is_string(enum source source)
{
	return source >= SOURCE_CHARS;
}

/* check_shape has found the closing quote already. */
static int parse_string(struct parser *parser, struct node *node)
{
	const char *start = parser->at, *end = strchr(start + 1, *start);
	size_t length = (size_t)(end - start - 1);
	char *copy = parser->filter->free_text;

	if (node->relation != EQUAL && node->relation != NOT_EQUAL && node->relation != LIKE)
		return fail_in(parser, start, "Illegal operation for field type");
	if (!is_string(node->source))
		return fail_in(parser, start, "Expecting numeric field");
	if (length >= STRING_MAX)
		return fail_in(parser, end, "Operand too long");
	memcpy(copy, start + 1, length);
	node->string = copy;
	parser->filter->free_text += length + 1;
	parser->at = end + 1;
	return 0;
}

static unsigned int digit_value(char c)
{
	if (is_digit(c))
		return (unsigned int)(c - '0');
	return (c >= 'a' && c <= 'f') ? (unsigned int)(c - 'a' + 10) :
	       (c >= 'A' && c <= 'F') ? (unsigned int)(c - 'A' + 10) :
					16;
}

/* Converts all characters from TEXT to END as strtol with base 0 does; false: no number, or too large. */
static bool read_number(const char *text, const char *end, bool is_signed, uint64_t *number)
{
	bool negative = *text == '-';
	const char *first = text + negative;
	unsigned int base = 10;
	uint64_t value = 0;

	if (first[0] == '0' && first + 1 < end) {
		base = first[1] == 'x' || first[1] == 'X' ? 16 : 8;
		first += base == 16 ? 2 : 1;
	}
	if (first == end || (negative && !is_signed))
		return false;
	for (; first < end; first++) {
		unsigned int digit = digit_value(*first);

		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*number = negative ? -value : value;
	return !is_signed || value <= (uint64_t)INT64_MAX + negative;
}

static int parse_number(struct parser *parser, struct node *node)
{
	const char *start = parser->at;

	if (is_string(node->source))
		return fail_in(parser, start, "Expecting string field");
	if (node->relation == LIKE)
		return fail_in(parser, start, "Illegal operation for field type");
	take(parser, "-");
	while (is_word(*parser->at) && *parser->at != '_')
		parser->at++;
	if (parser->at - start >= NUMBER_MAX)
		return fail_in(parser, parser->at, "Operand too long");
	if (!read_number(start, parser->at, node->is_signed, &node->number))
		return fail_in(parser, start, "Illegal integer value");
	node->number = extend(node, node->number);
	return 0;
}

/* CPUS{list}: a list of CPUs to compare the field with. */
static int parse_cpus(struct parser *parser, struct node *node)
{
	const char *list = parser->at + strlen("CPUS"), *end;

	if (is_string(node->source) ||
	    (node->relation != EQUAL && node->relation != NOT_EQUAL && node->relation != HAS_BITS))
		return fail_in(parser, parser->at, "Illegal operation for field type");
	if (*list != '{')
		return fail_in(parser, *list ? list + 1 : list, "Missing '{'");
	list++;
	end = strchr(list, '}');
	if (!end)
		return fail_in(parser, list + strlen(list), "Missing '}'");
	if (list == end || !cpu_list_parse(list, (size_t)(end - list), &node->cpus))
		return fail_in(parser, end, "Invalid cpulist");
	node->against = CPUS;
	parser->at = end + 1;
	return 0;
}

/* Finds the function from TEXT to END, by its name or by ADDRESS in it, and stores its bounds. */
static bool find_function(struct node *node, const char *text, const char *end, uint64_t address)
{
	struct symbol_entry entry, next;
	size_t index = 0;
	bool named = !is_digit(*text);

	for (; symbol_get(index, &entry); index++) {
		if (!symbol_get(index + 1, &next))
			symbol_get_range(&node->start, &next.address);
		if (named ? strlen(entry.name) == (size_t)(end - text) &&
				    !memcmp(entry.name, text, (size_t)(end - text)) :
			    address >= entry.address && address < next.address) {
			node->start = entry.address;
			node->end = next.address;
			return true;
		}
	}
	return false;
}

/* A function: the field, a pointer, is compared with its bounds. */
static int parse_function(struct parser *parser, struct node *node)
{
	const char *start = parser->at, *end = start;
	uint64_t address = 0;
	bool named = !is_digit(*start);

	if (node->size != sizeof(uintptr_t))
		return fail_in(parser, start, "Illegal operation for field type");
	if (node->relation != EQUAL && node->relation != NOT_EQUAL)
		return fail_in(parser, start, "Invalid operator");
	while (named ? *end && !is_space(*end) : is_word(*end) && *end != '_')
		end++;
	if (end - start >= (named ? FUNCTION_MAX : NUMBER_MAX))
		return fail_in(parser, end, "Operand too long");
	if (!named && !read_number(start, end, false, &address))
		return fail_in(parser, end, "Invalid value (did you forget quotes)?");
	if (!find_function(node, start, end, address))
		return fail_in(parser, end, "Function not found");
	node->source = SOURCE_NUMBER;
	node->against = A_FUNCTION;
	parser->at = end;
	return 0;
}

static int parse_comparison(struct parser *parser, struct node *node)
{
	const char *name = parser->at;
	unsigned int relation = 0;

	while (is_word(*parser->at))
		parser->at++;
	if (parser->at == name)
		return -EPERM;
	if (!find_field(parser, node, name, (size_t)(parser->at - name)))
		return fail_in(parser, parser->at, "Field not found");
	/* For a number, .ustring has no effect. */
	if (take(parser, ".ustring") && node->source == SOURCE_POINTER)
		node->source = SOURCE_USER_POINTER;
	bool function = take(parser, ".function");

	skip_spaces(parser);
	while (relation < RELATIONS && !take(parser, relations[relation]))
		relation++;
	if (relation == RELATIONS)
		return fail_in(parser, parser->at, "Invalid operator");
	node->relation = relation;
	skip_spaces(parser);
	if (function)
		return parse_function(parser, node);
	if (!strncmp(parser->at, "CPUS", 4))
		return parse_cpus(parser, node);
	if (*parser->at == '"' || *parser->at == '\'')
		return parse_string(parser, node);
	if (is_digit(*parser->at) || *parser->at == '-')
		return parse_number(parser, node);
	return fail_in(parser, parser->at, "Invalid value (did you forget quotes)?");
}

static int parse_list(struct parser *parser, struct node *list);

static int parse_term(struct parser *parser, struct node **result)
{
	bool negated = false, any = false;
	int error;

	for (skip_spaces(parser); take(parser, "!"); skip_spaces(parser)) {
		negated = !negated;
		any = true;
	}
	if (any && !*parser->at)
		return fail(parser, parser->at, "No filter found", -EINVAL);
	if (take(parser, "(")) {
		if (++parser->depth > DEPTH_MAX)
			return fail(parser, parser->at, "Too many terms in predicate expression",
				    -EINVAL);
		*result = new_node(parser, ONE_OF);
		error = parse_list(parser, *result);
		if (!error && !take(parser, ")"))
			error = fail(parser, parser->at, "Too many terms in predicate expression",
				     -EPERM);
		parser->depth--;
	} else {
		*result = new_node(parser, COMPARE);
		error = parse_comparison(parser, *result);
	}
	(*result)->negated = negated;
	return error;
}

/* True if only spaces and ! follow: Linux lets an operator end the text, and a ! follow it. */
static bool is_over(struct parser *parser)
{
	const char *at = parser->at;

	while (is_space(*at) || *at == '!')
		at++;
	if (*at)
		return false;
	parser->at = at;
	return true;
}

/* Parses terms with LIST's operator between them; each term of a ONE_OF list is an ALL_OF list. */
static int parse_list(struct parser *parser, struct node *list)
{
	const char *between = list->kind == ONE_OF ? "||" : "&&";
	struct node **end = &list->children;
	int error;

	do {
		if (list->kind == ONE_OF) {
			*end = new_node(parser, ALL_OF);
			error = parse_list(parser, *end);
		} else {
			error = parse_term(parser, end);
		}
		if (error)
			return error;
		end = &(*end)->next;
		skip_spaces(parser);
	} while (take(parser, between) && !is_over(parser));
	return 0;
}

/* Returns the last '(' of TEXT without its ')'. There is one, and all quotes are closed. */
static const char *find_open(const char *text)
{
	const char *at = text + strlen(text);
	size_t closed = 0;
	char quote = '\0';

	while (at-- > text) {
		if (quote) {
			quote = *at == quote ? '\0' : quote;
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (*at == ')') {
			closed++;
		} else if (*at == '(' && !closed--) {
			return at;
		}
	}
	return text;
}

/* Checks only quotes and parentheses, as Linux does first (calc_stack), with the same errors; fails if
 * there is no other character. */
static int check_shape(struct parser *parser)
{
	const char *text = parser->text, *quote = NULL;
	size_t depth = 0;
	bool any = false;

	for (const char *at = text; *at; at++) {
		if (is_space(*at) || (quote && *at != *quote))
			continue;
		if (quote) {
			quote = NULL;
		} else if (*at == '"' || *at == '\'') {
			quote = at;
			any = true;
		} else if (*at == '(') {
			depth++;
		} else if (*at == ')') {
			if (!depth--)
				return fail(parser, at, "Too few '('", -EPERM);
		} else {
			any = true;
		}
	}
	if (quote)
		return fail(parser, quote, "Missing matching quote", -ESRCH);
	if (depth)
		return fail(parser, find_open(text), "Too many '('", -ENOENT);
	return any ? 0 : -EINVAL;
}

static int parse(struct parser *parser)
{
	int error = parse_list(parser, new_node(parser, ONE_OF));

	if (!error && *parser->at)
		error = fail(parser, parser->at, "Too many terms in predicate expression", -EPERM);
	return error;
}

/* Returns an upper bound for the nodes of TEXT: a comparison, a list and a parenthesis each have a
 * character of their own that is not part of a word; a comparison has three characters, a pair of
 * parentheses two, and each pair has two nodes, so the nodes do not outnumber the characters but for the
 * outermost ones. */
static size_t count_nodes(const char *text)
{
	size_t count = 3, most = strlen(text) + 3;

	for (; *text; text++)
		count += !is_word(*text) && *text != ' ' ? 2 : 0;
	return count < most ? count : most;
}

int trace_filter_make(const struct trace_event *event, const char *text,
		      struct trace_filter **result, struct trace_filter_error *wrong)
{
	struct parser parser = { .event = event, .text = text, .at = text, .error = wrong };

	*wrong = (struct trace_filter_error){ .words = NULL };
	int error = check_shape(&parser);

	if (error)
		return error;
	size_t nodes = count_nodes(text);
	size_t size = sizeof(struct trace_filter) + nodes * sizeof(struct node) + strlen(text) + 1;
	/* Where pages are large, a page of text may need more nodes than one allocation holds. */
	struct trace_filter *filter = size <= KMALLOC_MAX ? kzalloc(size) : NULL;

	if (!filter)
		return -ENOMEM;
	parser.filter = filter;
	filter->root = filter->free_node = (struct node *)(filter + 1);
	filter->free_text = (char *)(filter->root + nodes);
	error = parse(&parser);

	if (error) {
		kfree(filter);
		return error;
	}
	*result = filter;
	return 0;
}

void trace_filter_free(struct trace_filter *filter)
{
	kfree(filter);
}
