import { setTimeout as wait } from 'node:timers/promises'
import { ProxyTracerProvider, trace } from '@opentelemetry/api'
import type * as Exporter from '@opentelemetry/exporter-trace-otlp-http'
import type * as Resources from '@opentelemetry/resources'
import type * as Sdk from '@opentelemetry/sdk-trace-node'
import { addToLines } from '../values/log.ts'
import { VERSION } from '../values/version.ts'
import { limitTraces, traceFields } from './spans.ts'
import { type TraceSettings, traceBudget } from './trace-budget.ts'

/** One set of versions that fit each other and the API: what README.md has operators add. Looked for by name, as none is a dependency. */
const PACKAGES = {
  '@opentelemetry/sdk-trace-node': '2.12.0',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
} as const
const NOT_FOUND = 'ERR_MODULE_NOT_FOUND'

/** Spans that leave this process. */
export interface Tracing {
  /** Sends what still waits, for so long at most. False where the collector did not take it by then. Never rejects. */
  close(limitMs: number): Promise<boolean>
}

/**
 * Exports spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, by the packages that the operator has added; how, the exporter reads from
 * the other OTEL_* variables itself. Without that variable spans go where a provider that was loaded before takes them, or nowhere.
 * @param role the command that this process runs
 * @throws Error in one sentence where the packages are missing
 */
export async function openTracing(traces: TraceSettings | null, role: string): Promise<Tracing> {
  addToLines(traceFields)
  return traces === null ? { close: async () => true } : exportSpans(traces, role)
}

async function exportSpans({ endpoint, sampler }: TraceSettings, role: string): Promise<Tracing> {
  const { sdk, resources, OTLPTraceExporter } = await loadPackages()
  const own = { 'service.name': 'sonant', 'service.version': VERSION, 'sonant.role': role }
  const given = resources.detectResources({ detectors: [resources.envDetector] })
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes(own).merge(given),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  })
  provider.register()
  // The SDK makes the operator's own sampler. Without one it takes what is begun, and follows the trace that a span is part of.
  if (sampler === null && isGlobal(provider)) limitTraces(traceBudget())
  return { close: (limitMs) => closeWithin(provider, limitMs) }
}

/** Not where one that was loaded before takes the spans: its operator decides which. */
const isGlobal = (provider: object): boolean => {
  const proxy = trace.getTracerProvider()
  return proxy instanceof ProxyTracerProvider && proxy.getDelegate() === provider
}

/** The exporter's own time limit is for each batch, and longer than a stopping process waits for anything else. */
async function closeWithin(provider: Sdk.NodeTracerProvider, limitMs: number): Promise<boolean> {
  const over = new AbortController()
  const sent = provider.shutdown().then(
    () => true,
    () => false,
  )
  const late = wait(limitMs, false, { signal: over.signal }).catch(() => false)
  return Promise.race([sent, late]).finally(() => over.abort())
}

async function loadPackages() {
  try {
    const [sdk, resources, exporter] = await Promise.all(Object.keys(PACKAGES).map((name) => import(name)))
    const { OTLPTraceExporter } = exporter as typeof Exporter
    return { sdk: sdk as typeof Sdk, resources: resources as typeof Resources, OTLPTraceExporter }
  } catch (error) {
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw error
    const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)
    throw new Error(
      `OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed: run npm install ${wanted.join(' ')}`,
    )
  }
}
