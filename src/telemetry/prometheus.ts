import type { Counter, Gauge, Histogram } from '@prometheus-io/client'
import { VERSION } from '../values/program.ts'
import type { GaugeName, MetricName } from './metrics.ts'
import { METRICS, PREFIX } from './metrics.ts'
import type { Reading, Telemetry } from './telemetry.ts'

type Values = Record<string, string>
type Read = () => Iterable<Reading<GaugeName>>

const LEFT_OUT = [
  ...(['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'] as const),
  ...(['nodejs_eventloop_utilization_histogram', 'nodejs_eventloop_utilization_summary'] as const),
] as const

export interface Metrics extends Telemetry {
  expose(): Promise<string>
  readonly contentType: string
}

/** Loads the client only if metrics are on. @param role the command that this process runs */
export async function openMetrics(role: string): Promise<Metrics> {
  const { default: client } = await import('@prometheus-io/client')
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  for (const name of LEFT_OUT) registry.removeSingleMetric(name)
  const counters = new Map<MetricName, Counter<string>>()
  const histograms = new Map<MetricName, Histogram<string>>()
  const reads = new Map<MetricName, Set<Read>>()
  for (const [key, metric] of Object.entries(METRICS)) {
    const name = key as MetricName
    const { help, labels } = metric
    const common = { name: `${PREFIX}${name}`, help, labelNames: [...labels], registers: [registry] }
    if (metric.type === 'counter') counters.set(name, new client.Counter(common))
    else if (metric.type === 'histogram')
      histograms.set(name, new client.Histogram({ ...common, buckets: [...metric.buckets] }))
    else {
      const sources = new Set<Read>()
      reads.set(name, sources)
      new client.Gauge({ ...common, collect: collectFrom(sources) })
    }
  }
  const labels = { version: VERSION, role, node: process.versions.node }
  reads.get('build_info')?.add((() => [{ labels, value: 1 }]) as unknown as Read)
  return {
    measures: true,
    count: (name, labels, by = 1) => {
      if (by >= 0) counters.get(name)?.inc(labels as Values, by)
    },
    observe: (name, labels, value) => {
      if (Number.isFinite(value)) histograms.get(name)?.observe(labels as Values, Math.max(0, value))
    },
    gauge: (name, read) => {
      reads.get(name)?.add(read as Read)
      return () => void reads.get(name)?.delete(read as Read)
    },
    expose: async () => (await registry.metrics()).replaceAll(/ Nan$/gm, ' NaN'),
    contentType: registry.contentType,
  }
}

/** Removes series that nothing reports any more and adds up values with the same labels. */
const collectFrom = (sources: ReadonlySet<Read>) =>
  function (this: Gauge<string>): void {
    this.reset()
    // The client sets a gauge without labels to zero.
    this.remove({})
    for (const read of sources) {
      for (const { labels, value } of read()) if (Number.isFinite(value)) this.inc(labels as Values, value)
    }
  }
