// The modules that every Node has. A list and not `node:module`: a plan is judged the same wherever it is.

const names = new Set(
  `assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process
   punycode querystring readline repl sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib`.split(
    /\s+/,
  ),
)

/** `bun:` and the like are other programs' own. */
export const isBuiltinModule = (name: string): boolean => /^[a-z]+:/.test(name) || names.has(name.split('/')[0] ?? '')
