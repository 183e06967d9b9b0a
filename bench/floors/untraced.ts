import { registerHooks } from 'node:module'

// Loaded before the service: it then runs without tracing.

const NO_SPANS = new URL('no-spans.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    return found.url.endsWith('/src/telemetry/spans.ts') ? { ...found, url: NO_SPANS } : found
  },
})
