import type { CounterName, GaugeName, HistogramName, LabelsOf } from './metrics.ts'

export interface Reading<Name extends GaugeName> {
  readonly labels: LabelsOf<Name>
  readonly value: number
}

/** The code that commits a fact records it, and only then. Never throws. */
export interface Telemetry {
  /** False: the caller skips costly readings. */
  readonly measures: boolean
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void
  /** @param value in the base unit of the metric's name */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void
  /** Reads a gauge at every scrape. Returns a function that ends it. */
  gauge<Name extends GaugeName>(name: Name, read: () => Iterable<Reading<Name>>): () => void
}

export interface MeasuredParts {
  readonly telemetry: Telemetry
}

export const NO_TELEMETRY: Telemetry = {
  measures: false,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => () => undefined,
}

export const secondsSince = (begun: number): number => (performance.now() - begun) / 1000
