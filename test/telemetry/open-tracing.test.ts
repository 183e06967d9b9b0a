import { once } from 'node:events'
import { createServer } from 'node:http'
import { registerHooks } from 'node:module'
import type { AddressInfo } from 'node:net'
import { context, propagation, trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { openTracing } from '../../src/telemetry/open-tracing.ts'

const ADD =
  'npm install @opentelemetry/sdk-trace-node@2.12.0 @opentelemetry/resources@2.12.0 @opentelemetry/exporter-trace-otlp-http@0.223.0'

/** Hides installed packages from what is imported from now on. */
function without(prefix: string) {
  return registerHooks({
    resolve: (specifier, context, next) => {
      if (!specifier.startsWith(prefix)) return next(specifier, context)
      throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
    },
  })
}

// First: a package that was once not found is not looked for again.
test('a collector that never answers keeps no process from its end for longer than it is given', async () => {
  const LIMIT_MS = 300
  const asked: string[] = []
  const silent = createServer(({ url = '' }) => asked.push(url)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const tracing = await openTracing(
    { endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, sampler: null },
    'serve',
  )
  try {
    trace.getTracer('sonant').startSpan('never sent').end()
    const begun = performance.now()
    expect(await tracing.close(LIMIT_MS)).toBe(false)
    // An exporter by itself gives up after ten seconds.
    expect(performance.now() - begun).toBeLessThan(8_000)
    expect(asked).toEqual(['/v1/traces'])
  } finally {
    for (const api of [trace, context, propagation]) api.disable()
    silent.closeAllConnections()
    silent.close()
  }
})

test.each(['sdk-trace-node', 'resources', 'exporter-trace-otlp-http'])(
  'a collector without the package %s is refused in one sentence that says what to install',
  async (name) => {
    // A module of its own: one that has found a package before finds it again.
    const path = `../../src/telemetry/open-tracing.ts?without=${name}`
    const { openTracing } = (await import(path)) as typeof import('../../src/telemetry/open-tracing.ts')
    const hooks = without(`@opentelemetry/${name}`)
    try {
      await expect(openTracing({ endpoint: 'http://127.0.0.1:4318', sampler: null }, 'serve')).rejects.toThrow(
        `OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed: run ${ADD}`,
      )
      await expect(openTracing(null, 'serve')).resolves.toBeDefined()
    } finally {
      hooks.deregister()
    }
  },
)
