"""Chat templates that know tools, in the manner of published families, written for tests: each has its calls in
another form."""

from __future__ import annotations

HERMES = """\
{%- if messages[0].role == 'system' %}{% set card = messages[0].content %}{% set rest = messages[1:] %}
{%- else %}{% set card = '' %}{% set rest = messages %}{% endif %}
{{- '<|im_start|>system\\n' + card }}
{%- if tools %}
{{- '\\n\\n# Tools\\n<tools>' }}
{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{% endfor %}
{{- '\\n</tools>\\nWrite <tool_call>\\n{"name": <name>, "arguments": <object>}\\n</tool_call>' }}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- for message in rest %}
{%- if message.role == 'assistant' and message.tool_calls %}
{{- '<|im_start|>assistant' }}
{%- if message.content %}{{- '\\n' + message.content }}{% endif %}
{%- for call in message.tool_calls %}
{%- set call = call.function %}
{{- '\\n<tool_call>\\n{"name": "' + call.name + '", "arguments": ' + (call.arguments | tojson) + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{%- if loop.first or rest[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{% endif %}
{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
{%- if loop.last or rest[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{% endif %}
{%- else %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}"""

LLAMA = """\
{{- bos_token }}
{%- set open = '<|start_header_id|>' %}
{%- if messages[0].role == 'system' %}
{{- open + 'system<|end_header_id|>\\n\\n' + messages[0].content | trim + '<|eot_id|>' }}{% set messages = messages[1:] %}
{%- endif %}
{%- for message in messages %}
{%- if message.tool_calls %}
{%- if message.tool_calls | length != 1 %}{{- raise_exception('one call at a time') }}{% endif %}
{%- set call = message.tool_calls[0].function %}
{{- open + 'assistant<|end_header_id|>\\n\\n{"name": "' + call.name + '", "parameters": ' + (call.arguments | tojson) + '}<|eot_id|>' }}
{%- elif message.role == 'tool' %}
{{- open + 'ipython<|end_header_id|>\\n\\n' + (message.content | tojson) + '<|eot_id|>' }}
{%- else %}
{{- open + message.role + '<|end_header_id|>\\n\\n' }}
{%- if tools and loop.first and message.role == 'user' %}
{{- 'Functions:\\n' }}{% for tool in tools %}{{- tool | tojson(indent=4) + '\\n\\n' }}{% endfor %}
{%- endif %}
{{- message.content | trim + '<|eot_id|>' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- open + 'assistant<|end_header_id|>\\n\\n' }}{% endif %}"""

MISTRAL = """\
{%- if messages[0].role == 'system' %}{% set card = messages[0].content %}{% set rest = messages[1:] %}
{%- else %}{% set rest = messages %}{% endif %}
{%- set turn = namespace(n=0) %}
{%- for message in rest %}
{%- if message.role == 'user' or (message.role == 'assistant' and message.tool_calls is not defined) %}
{%- if (message.role == 'user') != (turn.n % 2 == 0) %}{{- raise_exception('user and assistant take turns') }}{% endif %}
{%- set turn.n = turn.n + 1 %}
{%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in rest %}
{%- if message.role == 'user' %}
{%- if tools is not none and loop.first %}
{{- '[AVAILABLE_TOOLS] [' }}
{%- for tool in tools %}
{{- '{"type": "function", "function": {' }}
{%- for key, value in tool.function.items() if key != 'return' %}
{%- if value is string %}{{- '"' + key + '": "' + value + '"' }}{% else %}{{- '"' + key + '": ' + (value | tojson) }}{% endif %}
{%- if not loop.last %}{{- ', ' }}{% endif %}
{%- endfor %}
{{- '}}' }}{% if not loop.last %}{{- ', ' }}{% else %}{{- ']' }}{% endif %}
{%- endfor %}
{{- '[/AVAILABLE_TOOLS]' }}
{%- endif %}
{{- '[INST] ' + ((card + '\\n\\n') if loop.first and card is defined else '') + message.content + '[/INST]' }}
{%- elif message.tool_calls is defined and message.tool_calls is not none %}
{{- '[TOOL_CALLS] [' }}
{%- for call in message.tool_calls %}
{%- set out = call.function | tojson %}
{{- out[:-1] }}
{%- if call.id is not defined or call.id | length != 9 %}{{- raise_exception('ids have nine characters') }}{% endif %}
{{- ', "id": "' + call.id + '"}' }}
{%- if not loop.last %}{{- ', ' }}{% else %}{{- ']' + eos_token }}{% endif %}
{%- endfor %}
{%- elif message.role == 'assistant' %}{{- ' ' + message.content | trim + eos_token }}
{%- elif message.role == 'tool' %}
{{- '[TOOL_RESULTS] {"content": ' + (message.content | string) + ', ' }}
{%- if message.tool_call_id is not defined or message.tool_call_id | length != 9 %}{{- raise_exception('ids') }}{% endif %}
{{- '"call_id": "' + message.tool_call_id + '"}[/TOOL_RESULTS]' }}
{%- else %}{{- raise_exception('who is that?') }}{% endif %}
{%- endfor %}"""

GLM = """\
[gMASK]<sop>
{%- if tools %}
<|system|>
<tools>
{%- for tool in tools %}
{{ tool | tojson(ensure_ascii=False) }}
{%- endfor %}
</tools>
<tool_call>{function-name}
<arg_key>{key}</arg_key>
<arg_value>{value}</arg_value>
</tool_call>
{%- endif %}
{%- for m in messages %}
{%- if m.role == 'user' %}<|user|>
{{ m.content }}
{%- elif m.role == 'assistant' %}<|assistant|>
<think></think>
{%- if m.content %}{{ '\\n' + m.content.strip() }}{% endif %}
{%- for call in m.tool_calls or [] %}
{%- set call = call.function if call.function else call %}
{{ '\\n<tool_call>' + call.name }}
{%- for k, v in call.arguments.items() %}
<arg_key>{{ k }}</arg_key>
<arg_value>{{ v | tojson(ensure_ascii=False) if v is not string else v }}</arg_value>
{%- endfor %}
</tool_call>
{%- endfor %}
{%- elif m.role == 'tool' %}
{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{- '<|observation|>' }}{% endif %}
<tool_response>
{{ m.content }}
</tool_response>
{%- else %}<|system|>
{{ m.content }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{{ '\\n<think></think>' if enable_thinking is defined and not enable_thinking else '' }}{% endif %}"""

BY_FORM = {"hermes": HERMES, "llama": LLAMA, "mistral": MISTRAL, "glm": GLM}
"""Form of calls -> a template that writes it."""
FAILING = "{% if tools %}{{ raise_exception('tools are not for this model') }}{% endif %}" + HERMES
ODD = HERMES.replace("<tool_call>", "⟦").replace("</tool_call>", "⟧")
"""Has its calls in a form that nobody knows."""
