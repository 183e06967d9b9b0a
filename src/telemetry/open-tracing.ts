import type * as Exporter from '@opentelemetry/exporter-trace-otlp-http'
import type * as Resources from '@opentelemetry/resources'
import type * as Sdk from '@opentelemetry/sdk-trace-node'
import { inTime } from '../concurrency/in-time.ts'
import { addToLines } from '../values/log.ts'
import { VERSION } from '../values/program.ts'
import { traceFields } from './spans.ts'
import { type TraceSettings, traceBudget } from './trace-budget.ts'

/** Optional packages in versions that fit each other, imported by name. */
const PACKAGES = {
  '@opentelemetry/sdk-trace-node': '2.12.0',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
} as const
const NOT_FOUND = 'ERR_MODULE_NOT_FOUND'

export interface Tracing {
  /** Sends what still waits. Returns false if the collector did not take it in time; never rejects. */
  close(limitMs: number): Promise<boolean>
}

/**
 * Exports spans to OTEL_EXPORTER_OTLP_ENDPOINT. Without it a provider that was loaded before receives them.
 * @param role the command that this process runs
 * @throws Error if the packages are missing
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
    ...(sampler === null && { sampler: sampledWithin(sdk, traceBudget()) }),
  })
  provider.register()
  return { close: (limitMs) => closeWithin(provider, limitMs) }
}

/** Samples new traces while `admits` lets them begin; a trace that a caller has begun keeps the caller's choice. */
export function sampledWithin(sdk: typeof Sdk, admits: () => boolean): Sdk.Sampler {
  const { RECORD_AND_SAMPLED, NOT_RECORD } = sdk.SamplingDecision
  const root = {
    shouldSample: () => ({ decision: admits() ? RECORD_AND_SAMPLED : NOT_RECORD }),
    toString: () => 'budget of traces',
  }
  return new sdk.ParentBasedSampler({ root })
}

/** The exporter's own limit is for each batch, longer than a stop may take. */
async function closeWithin(provider: Sdk.NodeTracerProvider, limitMs: number): Promise<boolean> {
  const sent = provider.shutdown().then(
    () => true,
    () => false,
  )
  return inTime(limitMs, sent, () => false)
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
