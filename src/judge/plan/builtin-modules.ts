// The built-in modules of every supported Node. A list instead of `node:module`, so that a plan is judged the same on
// every machine.

const names = new Set(
  `assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process
   punycode querystring readline repl sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib`.split(
    /\s+/,
  ),
)

/** Modules with a scheme, such as `bun:`, are built into other runtimes. */
export const isBuiltinModule = (name: string): boolean => /^[a-z]+:/.test(name) || names.has(name.split('/')[0] ?? '')
