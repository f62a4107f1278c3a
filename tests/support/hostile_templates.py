"""Chat templates that want to hang, fill memory or get out: written for these tests, by what they go at."""

from __future__ import annotations

DOUBLE = "{% set n = namespace(x=START) %}{% for i in range(99) %}{% set n.x = STEP %}{% endfor %}{{ n.x }}"
HOSTILE: dict[str, str] = {
    "a giant range": "{% for i in range(10**9) %}{{ i }}{% endfor %}",
    "loops in loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% for k in range(99999) %}{% endfor "
    "%}{% endfor %}{% endfor %}",
    "a text times a number": "{{ 'a' * 10**10 }}",
    "a list times a number": "{{ ([1] * 10**9) | length }}",
    "a power of powers": "{{ 9 ** 9 ** 9 ** 9 }}",
    "a growing number": DOUBLE.replace("START", "9").replace("STEP", "n.x * n.x"),
    "a growing text": DOUBLE.replace("START", "'a'").replace("STEP", "n.x ~ n.x"),
    "a text added to itself": DOUBLE.replace("START", "'a'").replace("STEP", "n.x + n.x"),
    "a text that replaces itself": DOUBLE.replace("START", "'aa'").replace("STEP", "n.x.replace('a', n.x)"),
    "a list of itself": DOUBLE.replace("START", "[1]").replace("STEP", "[n.x, n.x]"),
    "a tuple of itself": DOUBLE.replace("START", "(1, 2)").replace("STEP", "(n.x, n.x)"),
    "an object of itself": DOUBLE.replace("START", "1").replace("STEP", "{'a': n.x, 'b': n.x}"),
    "a dict of itself": DOUBLE.replace("START", "1").replace("STEP", "dict(a=n.x, b=n.x)"),
    "a list compared": DOUBLE.replace("START", "[1]").replace("STEP", "[n.x, n.x]").replace("{{ n.x }}",
        "{{ n.x == n.x + [] }}"),
    "a list added to itself": DOUBLE.replace("START", "[1]").replace("STEP", "n.x + n.x"),
    "a block that grows": "{% set x = 'ab' %}" + "{% set x %}{{ x }}{{ x }}{{ x }}{{ x }}{% endset %}" * 40 + "{{ x "
    "}}",
    "a macro without end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a macro that branches": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ "
    "m(60) }}",
    "a loop that recurs": "{% for i in [1, 2] recursive %}{% if loop.depth < 60 %}{{ loop([1, 2]) }}{% endif %}{% "
    "endfor %}",
    "a wide centre": "{{ 'a' | center(10**10) }}",
    "a wide centre method": "{{ 'a'.center(10**10) }}",
    "a wide number": "{{ '%10000000000d' | format(1) }}",
    "a computed width": "{{ '%*d' % (10**9, 1) }}",
    "a wide format": "{{ '{:10000000000}'.format(1) }}",
    "a nested format": "{{ '{:{}}'.format(1, 10**9) }}",
    "a format that reaches in": "{{ '{0.__class__}'.format(messages) }}",
    "a wide word wrap": "{{ ('a' * 99999) | wordwrap(1, true, 'b' * 99999) }}",
    "a wide indentation of much": "{{ ('a\n' * 999999) | indent(10**9) }}",
    "a wide join": "{{ range(99999) | join('a' * 99999) }}",
    "bytes of a number": "{{ (1).to_bytes(10**10, 'big') }}",
    "a wide fill": "{{ 'a'.zfill(10**10) }}",
    "rounding without end": "{{ 1.5 | round(10**9, 'ceil') }}",
    "random words": "{{ lipsum(10**6) }}",
    "batches": "{{ range(9) | batch(10**9, 1) | list }}",
    "sums of lists": "{{ [[1] * 99999] * 99999 | sum(start=[]) }}",
    "many copies of a list": "".join("{% set a" + str(i) + " = range(99999) | list %}" for i in range(3000)),
    "many slices of a list": "{% set x = range(90000) | list %}" + "".join("{% set a" + str(i) + " = x[:] %}"
        for i in range(4000)),
    "many sorted lists": "".join("{% set a" + str(i) + " = range(99999) | sort %}" for i in range(3000)),
    "sorted lists in a list": "{{ [range(99999)] * 99 | map('sort') | list }}",
    "a chain of filters": DOUBLE.replace("range(99)", "range(90000)").replace("START", "['a']").replace("STEP",
        "n.x | map('upper')"),
    "a chain of namespaces": DOUBLE.replace("range(99)", "range(90000)").replace("START", "1").replace("STEP",
        "namespace(x=n.x)"),
    "a namespace of itself": "{% set a = namespace(x=1) %}{% for i in range(99) %}{% set a.x = namespace(x=a.x, "
    "y=a.x) %}{% endfor %}{{ a.x }}",
    "a namespace in a list": "{% set a = namespace() %}{% set a.x = [a, a] %}{{ [a] }}",
    "the class of a text": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "the globals of a macro": "{% macro m() %}{% endmacro %}{{ m.__globals__ }}",
    "the attribute filter": "{{ messages | attr('__class__') | attr('__base__') }}",
    "the format of a range": "{{ range.__init__.__globals__ }}",
    "another file": "{% include '/etc/passwd' %}",
    "a parent": "{% extends 'x' %}",
    "an import": "{% from 'os' import system %}",
    "a changed message": "{{ messages.append(messages) }}{{ messages }}",
    "a division by nothing": "{{ 1 / 0 }}",
    "a missing thing": "{{ messages[99].content.a.b }}",
    "brackets": "{{ " + "(" * 100000 + " }}",
    "closed brackets": "{{ " + "(" * 60000 + "1" + ")" * 60000 + " }}",
    "lists": "{{ " + "[" * 60000 + "]" * 60000 + " }}",
    "many nots": "{{ " + "not " * 60000 + "1 }}",
    "a long sum": "{{ " + "1+" * 100000 + "1 }}",
    "a long comparison": "{{ " + "1<" * 100000 + "1 }}",
    "many ifs": "{% if 1 %}" * 20000 + "{% endif %}" * 20000,
    "many elifs": "{% if 0 %}" + "{% elif 0 %}" * 15000 + "{% endif %}",
    "many loops": "{% for a in [1] %}" * 60 + "{% endfor %}" * 60,
    "a long number": "{{ " + "9" * 200000 + " }}",
    "no end": "{% for m in messages %}",
    "an unknown tag": "{% frobnicate %}",
    "an unknown filter": "{{ 1 | frobnicate }}",
    "a comment without end": "{#" * 100000,
    "a quote without end": "{{ '" + "a" * 200000,
    "a megabyte": "a" * 10**6,
    "nothing at all": "",
    "NUL and escape": "{{ raise_exception('\x00\x1b[2Jbad\x07\n\nbad') }}",
    "something else raised": "{{ raise_exception(messages) }}",
}  # fmt: skip

# Values whose parts are shared: small to make, endless to walk through.
NEST = "{% set n = namespace(x=START) %}{% for i in range(60) %}{% set n.x = STEP %}{% endfor %}"
TWICE = (
    "{% macro grow() %}{% set ns.x = varargs %}{% endmacro %}{% macro also() %}{% set ns.y = varargs %}{% endmacro %}"
    "{% set ns = namespace(x=(1,), y=(1,)) %}"
    "{% for i in range(60) %}{{ grow(ns.x, ns.x) }}{{ also(ns.y, ns.y) }}{% endfor %}"
)
KEYWORDS = (
    "{% macro grow() %}{% set ns.x = kwargs %}{% endmacro %}{% macro also() %}{% set ns.y = kwargs %}{% endmacro %}"
    "{% set ns = namespace(x=1, y=1) %}"
    "{% for i in range(60) %}{{ grow(a=ns.x, b=ns.x) }}{{ also(a=ns.y, b=ns.y) }}{% endfor %}"
)
BIG = "{% set big = 'a' * 250000 %}{% set other = ('a' * 249999) ~ 'a' %}"
LISTS = BIG + "{% set many = [big] * 9000 %}{% set others = [other] * 9000 %}"
SHARED = (
    "{% set s = range(200) | list %}{% set s = [s] * 200 %}{% set t = range(200) | list %}{% set t = [t] * 200 %}"
)
SHARED += "{% set s = s * 60 %}{% set t = t * 60 %}"
COLLIDING = "range(0, 30000 * (2 ** 61 - 1), 2 ** 61 - 1)"

BY_FAMILY: dict[str, dict[str, str]] = {
    "what macros catch": {
        "varargs compared": TWICE + "{{ ns.x == ns.y }}",
        "varargs ordered": TWICE + "{{ ns.x < ns.y }}",
        "varargs looked up": TWICE + "{{ ns.x in [ns.y] }}",
        "varargs printed": TWICE + "{{ ns.x }}",
        "varargs as a key": TWICE + "{{ {ns.x: 1} }}",
        "varargs as JSON": TWICE + "{{ ns.x | tojson }}",
        "kwargs compared": KEYWORDS + "{{ ns.x == ns.y }}",
        "kwargs printed": KEYWORDS + "{{ ns.x }}",
        "kwargs formatted": KEYWORDS + "{{ '%s' % ns.x }}",
        "kwargs in a test": KEYWORDS + "{{ ns.x is eq ns.y }}",
        "a caller that doubles": "{% macro m(n) %}{{ caller(n) }}{{ caller(n) }}{% endmacro %}"
        + "{% call(a) m(1) %}" * 40
        + "x"
        + "{% endcall %}" * 40,
    },
    "shared parts": {
        "lists of lists compared": SHARED + "{{ s == t }}",
        "lists of lists sorted": SHARED + "{{ [s, t] | sort | length }}",
        "lists of lists made unique": SHARED + "{{ [(s,), (t,)] | unique | list | length }}",
        "the least of lists": SHARED + "{{ [s, t] | min | length }}",
        "the greatest of lists": SHARED + "{{ [s, t] | max | length }}",
        "lists of lists counted": SHARED + "{{ [s, s, s].count(t) }}",
        "lists of lists searched": SHARED + "{{ [s, s].index(t) }}",
        "lists of lists selected": SHARED + "{{ [s] | select('in', [t]) | list | length }}",
        "lists of lists by a test": SHARED + "{{ [s] | select('eq', t) | list | length }}",
        "attributes sorted": SHARED + "{{ [{'a': s}, {'a': t}] | sort(attribute='a') | length }}",
        "namespaces sorted": SHARED + "{{ [namespace(a=s), namespace(a=t)] | sort(attribute='a') | length }}",
        "a dict sorted by its values": SHARED + "{{ {'a': s, 'b': t} | dictsort(by='value') | length }}",
        "a loop that asks what changed": SHARED
        + "{% for i in range(9000) %}{{ loop.changed(s) }}{{ loop.changed(t) }}{% endfor %}",
        "a dict looked up": SHARED + "{{ {'a': 1}.get((s, t)) }}",
        "an index of lists": SHARED + "{{ {'a': 1}[(s, t)] }}",
        "views compared": SHARED + "{{ {'a': s}.items() == {'a': t}.items() }}",
        "views looked up": SHARED + "{{ s in {'a': t}.values() }}",
        "views taken from each other": SHARED + "{{ {'a': s}.items() - {'a': t}.items() }}",
        "lists printed": SHARED + "{{ s }}",
        "lists formatted": SHARED + "{{ '%s' % (s,) }}{{ '{}'.format(t) }}",
        "lists joined to a text": SHARED + "{{ s ~ t }}",
        "lists in a refusal": SHARED + "{{ raise_exception(s) }}",
        "lists as the name of a filter": SHARED + "{{ [1] | map((s, t)) | list }}",
        "lists as JSON with wide lines": "{% set s = [1] * 2000 %}"
        + "{% set s = [s] %}" * 20
        + "{{ s | tojson(indent=10**9) }}",
        "JSON with wide separators": "{{ (range(9000) | list) | tojson(separators=('a' * 99999, 'b')) }}",
        "namespaces printed": NEST.replace("START", "1").replace("STEP", "namespace(a=n.x, b=n.x)")
        + "{{ '%s' % n.x }}",
        "a namespace formatted": "{% set n = namespace() %}{% set n.x = [n, n] %}{% set n.y = [n, n] %}{{ '{} "
        "{}'.format(n, [n]) }}",
        "a namespace as a missing key": NEST.replace("START", "1").replace("STEP", "namespace(a=n.x, b=n.x)")
        + "{{ messages[n.x].a }}",
        "tuples of tuples hashed": NEST.replace("START", "(1,)").replace("STEP", "(n.x, n.x)") + "{{ {n.x: 1} }}",
        "equal numbers of a hash": "{{ " + COLLIDING + " | unique | list | length }}",
        "keys of equal hash": "{% set k = " + COLLIDING + " | list %}{{ {'a': 1}.keys() - k }}",
    },
    "long texts": {
        "long texts compared in lists": LISTS + "{{ many == others }}",
        "long texts counted in lists": LISTS + "{{ many.count(other) }}",
        "long texts looked up in lists": LISTS + "{{ (other ~ 'b') in many }}",
        "beginnings without end": LISTS + "{{ big.startswith(dict(a=1).items() or many) }}",
        "long lists printed": LISTS + "{{ many }}",
        "long lists as JSON": LISTS + "{{ many | tojson }}",
        "a text stripped of itself": BIG + "{{ big.strip(('b' * 250000) ~ 'a') }}",
        "a text trimmed of itself": BIG + "{{ big | trim(('b' * 250000) ~ 'a') }}",
        "a search from the end": BIG + "{{ big.rfind('b' ~ 'a' * 125000) }}",
        "an index from the end": BIG + "{% for i in range(40000) %}{{ big.rindex('b' ~ 'a' * 125000) }}{% endfor %}",
        "a split from the end": BIG + "{{ big.rsplit('b' ~ 'a' * 125000) | length }}",
        "a partition from the end": BIG + "{{ big.rpartition('b' ~ 'a' * 125000) | length }}",
        "a split without end": BIG + "{{ big.split('a') | length }}" * 4000,
        "lines without end": "{% set l = 'a\n' * 49000 %}" + "{{ l.splitlines() | length }}" * 4000,
        "letters without end": BIG + "{{ big | list | length }}{{ big | sort | length }}",
        "a replacement of nothing": BIG + "{{ big.replace('', big) }}",
        "case after case": BIG + "{% for i in range(40000) %}{% set x = big.upper() %}{% endfor %}",
        "questions after questions": BIG
        + "{% for i in range(48000) %}{{ big.isupper() and big.find('b') }}{% endfor %}",
        "a loop over a search": BIG
        + "{% for i in range(48000) %}{% if 'b' in big and i in range(99999) %}{% endif %}{% endfor %}",
        "texts kept alive": BIG
        + "{% set n = namespace(x=[]) %}{% for i in range(300) %}{% set n.x = n.x + [big ~ i] %}{% endfor %}",
        "origins without end": "{% set n = namespace(x=messages[0].content ~ '.') %}{% for i in range(17) %}{% set "
        "n.x = n.x ~ n.x %}{% endfor %}{{ n.x[1:] }}",
        "very much output": "{% for i in range(40000) %}{{ 'a' * 9 }}{{ messages[0].content }}{% endfor %}",
        "output of one letter": "{% for i in range(49000) %}{{ i }}{% for m in messages %}{{ m.content[:1] }}{% "
        "endfor %}{% endfor %}",
        "very much of its own": "{{ 'a' * 260000 }}" * 9 + "{% for m in messages %}{{ m.content }}{% endfor %}",
    },
    "formats": {
        "a wide old format": "{{ '%1000000000d' % 1 }}",
        "a precise old format": "{{ '%.1000000000f' % 1 }}",
        "a width behind a key": "{{ '%((a))1000000000d' % {'(a)': 1} }}",
        "a filled format": "{{ '{:x>1000000000}'.format(1) }}",
        "many fields": "{{ ('{0:999}' * 30000).format(1) }}",
        "many fields with a name": BIG + "{{ ('{ a}' * 60000).format(**{' a': big}) }}",
        "many old fields": BIG + "{{ ('%(a)s' * 50000) % {'a': big} }}",
        "a width from a tuple": "{{ '%-*.*f' % (10**9, 10**9, 1.5) }}",
        "an attribute by a format": "{{ '{a.__class__.__mro__}'.format(a=1) }}",
        "an item by a format": "{{ '{a[__class__]}'.format(a={}) }}",
        "a format of a map": "{{ '{a.__class__}'.format_map({'a': 1}) }}",
        "a format by a filter": "{{ '%999999999s' | format('a') }}",
        "a clock with a wide form": "{{ strftime_now('%9999999d') }}",
    },
    "numbers": {
        "a power": "{{ 9 ** 9 ** 9 }}",
        "powers of a base": "{{ (2 ** 64) ** (2 ** 64) }}",
        "a negative rounding": "{{ 5 | round(-10**9) }}",
        "a number of hexadecimal digits": "{% set n = ('f' * 250000) | int(base=16) %}{{ n // (n // 3) }}",
        "a division of giants": "{% set n = ('f' * 250000) | int(base=16) %}{{ (n / 7) ~ (n % 3) }}",
        "giants that divide": "{% set n = ('f' * 250000) | int(base=16) %}{% for i in range(40000) %}{{ n is "
        "divisibleby(12345) }}{% endfor %}",
        "a literal of hexadecimal digits": "{% set n = 0x" + "f" * 100000 + " %}{{ n * n * n }}",
        "giants printed": "{% set n = ('f' * 3000) | int(base=16) %}{{ [n] * 40000 }}",
        "a float of many digits": "{% for i in range(40000) %}{{ ('1' * 40000) | float }}{% endfor %}",
        "a list times a giant": "{{ [1] * 10**300 }}",
        "a text times a giant": "{{ 10**300 * 'a' }}",
    },
    "calls and loops": {
        "two macros that call each other": "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{{ a() "
        "}}{% endmacro %}{{ a() }}",
        "a block that calls itself": "{% block a %}{{ self.a() }}{{ self.a() }}{% endblock %}",
        "a loop that calls itself": "{% for i in [1] recursive %}{{ loop([1, 2]) }}{{ loop([1, 2]) }}{% endfor %}",
        "a loop that calls with much": "{% for i in range(3) recursive %}{{ loop(range(99999)) }}{% endfor %}",
        "a loop over its own": "{% for i in range(99999) %}{% for j in loop %}{% endfor %}{% endfor %}",
        "rounds without a step": "{% for i in range(49000) %}{% if i in range(99999) and 'a' in range(99999) %}{% "
        "endif %}{% endfor %}",
        "loops that end nothing": "{% for i in range(40000) if i == 'a' %}{% else %}{% for j in range(40000) if j "
        "== 'a' %}{% endfor %}{% endfor %}",
        "swallowed refusals": "{% for i in range(20000) %}{% set x = messages[i].a is defined %}{% endfor %}{{ "
        "raise_exception('again') }}",
        "slow and refusing": BIG
        + "{% for i in range(20000) %}{% if big == other %}{% endif %}{% endfor %}{{ raise_exception('again') }}",
        "an import of itself": "{% import self as x %}",
        "an include of nothing": "{% include [] ignore missing %}{% include messages %}",
        "a joiner": "{{ joiner(',' * 10**9) }}",
        "a cycler": "{{ cycler(*range(99999)).next() }}",
        "a cycle of the loop": "{% for i in range(40000) %}{{ loop.cycle(*range(99999)) }}{% endfor %}",
    },
    "doors": {
        "the class of a message": "{{ messages.__class__.__base__.__subclasses__() }}",
        "the class by a filter": "{{ '' | attr('__class__') | attr('__mro__') }}",
        "the class by a map": "{{ [''] | map(attribute='__class__') | list }}",
        "the environment": "{{ self._TemplateReference__context.environment }}",
        "the inside of a method": "{{ ''.strip.func.__globals__ }}",
        "the inside of a namespace": "{{ namespace()._Namespace__attrs.update }}",
        "the inside of a loop": "{% for i in [1] %}{{ loop._recurse.__globals__ }}{% endfor %}",
        "a filter of ours": "{{ messages | moot_counted | moot_weighed }}{{ 1 | moot_joined }}",
        "HTML": "{% autoescape true %}{{ messages[0].content }}{% endautoescape %}",
    },
    "sources": {
        "brackets around a value": "{{ " + "(" * 400 + "messages" + ")" * 400 + " }}",
        "a constant of constants": "{{ " + "[" * 90 + "'a' * 200000" + "]" * 90 + " }}",
        "a constant text": "{{ 'a' * 10**9 }}",
        "a constant list": "{{ ['a'] * 10**9 }}",
        "a constant power": "{% if 9 ** 9 ** 9 %}{% endif %}",
        "a constant of filters": "{{ 'a' " + "| upper " * 9000 + "}}",
        "many names": "".join(f"{{% set a{at} = 1 %}}" for at in range(6000)),
        "many names in branches": "".join(
            f"{{% if a{at} %}}{{% set b{at} = 1 %}}{{% endif %}}" for at in range(2500)
        ),
        "branches in branches": "{% if a %}{% set b = 1 %}{% else %}" * 90 + "{% endif %}" * 90,
        "many macros": "".join(f"{{% macro m{at}() %}}{{{{ m{at - 1}() }}}}{{% endmacro %}}" for at in range(2000)),
        "many blocks": "".join(f"{{% block b{at} %}}{{% endblock %}}" for at in range(3000)),
        "a name without end": "{{ " + "a" * 120000 + " }}",
        "dots without end": "{{ a" + ".a" * 50000 + " }}",
        "indexes without end": "{{ messages" + "[0]" * 40000 + " }}",
        "conditions without end": "{{ " + "1 if 1 else " * 9000 + "1 }}",
        "concatenation without end": "{{ 1" + " ~ 1" * 30000 + " }}",
        "or without end": "{{ 0" + " or 0" * 20000 + " }}",
        "macros in macros": "".join(f"{{% macro m{at}(a=1) %}}" for at in range(70)) + "{% endmacro %}" * 70,
    },
}
"""By what they go at."""
EVERY = HOSTILE | {name: source for family in BY_FAMILY.values() for name, source in family.items()}
