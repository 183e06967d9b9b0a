import type { CounterName, GaugeName, HistogramName, LabelsOf } from './metrics.ts'

/** One value of a gauge. */
export interface Reading<Name extends GaugeName> {
  readonly labels: LabelsOf<Name>
  readonly value: number
}

/**
 * Takes note of what happened, from the code that made it so: a fact is noted where it is committed, and only then. Never throws, and
 * costs a call where nothing is measured.
 */
export interface Telemetry {
  /** Whether anything takes note: what would cost more than a call to find out is not to be found out otherwise. */
  readonly measures: boolean
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void
  /** @param value in the base unit of the metric's name */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void
  /** Has a gauge read at every scrape, together with all others of its name. Returns what ends it. */
  gauge<Name extends GaugeName>(name: Name, read: () => Iterable<Reading<Name>>): () => void
}

/** What takes note of what happened needs of a process. */
export interface MeasuredParts {
  readonly telemetry: Telemetry
}

/** Where nothing is measured. */
export const NO_TELEMETRY: Telemetry = {
  measures: false,
  count: () => undefined,
  observe: () => undefined,
  gauge: () => () => undefined,
}

/** Seconds since `begun`, a reading of `performance.now()`. */
export const secondsSince = (begun: number): number => (performance.now() - begun) / 1000
