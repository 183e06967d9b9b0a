import type { Environment } from './environment.ts'

/** One line of the report. */
export interface Measure {
  readonly what: string
  readonly unit: string
  /** The same work done bare, in the same run; null where there is nothing to compare with. */
  readonly floor: number | null
  readonly value: number
  /** Value by floor; null without a floor. */
  readonly ratio: number | null
  readonly reach: string
  /** null: there is no goal, or it could not be measured, and the notes say why. */
  readonly reached: boolean | null
}

export interface RowResult {
  readonly name: string
  readonly measures: readonly Measure[]
  readonly notes: readonly string[]
}

/** One row of the benchmarks. */
export interface Row {
  readonly name: string
  readonly what: string
  readonly reach: string
  run(environment: Environment): Promise<RowResult>
}

export interface Pair {
  readonly ours: number
  readonly floor: number
}

/** Measures both sides in turns, each going first every other time, so that what else the machine does hits them alike. */
export async function interleaved(
  rounds: number,
  sides: { ours(): Promise<number>; floor(): Promise<number> },
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let round = 0; round < rounds; round++) {
    const floorFirst = round % 2 === 1
    const early = floorFirst ? await sides.floor() : null
    const ours = await sides.ours()
    pairs.push({ ours, floor: early ?? (await sides.floor()) })
  }
  return pairs
}

/** A throughput next to its floor: medians, and the median of the rounds' own ratios, which noise moves least. */
export function throughput(what: string, unit: string, pairs: readonly Pair[], atLeast: number): Measure {
  const ratio = median(pairs.map((pair) => pair.ours / pair.floor))
  return {
    what,
    unit,
    floor: median(pairs.map((pair) => pair.floor)),
    value: median(pairs.map((pair) => pair.ours)),
    ratio,
    reach: `>= ${atLeast} x floor`,
    reached: ratio >= atLeast,
  }
}

/** A value with an upper limit, whatever its floor. */
export function atMost(what: string, unit: string, value: number, limit: number, floor: number | null = null): Measure {
  const ratio = floor === null ? null : value / floor
  return { what, unit, value, floor, ratio, reach: `<= ${limit} ${unit}`, reached: value <= limit }
}

export const NO_GOAL = 'none'

/** A figure to read, next to its floor where there is one. */
export function figure(what: string, unit: string, value: number, floor: number | null = null): Measure {
  return { what, unit, value, floor, ratio: floor === null ? null : value / floor, reach: NO_GOAL, reached: null }
}

/** A time next to its floor, both in milliseconds: medians, and their ratio. */
export function latency(what: string, pairs: readonly Pair[], atMost: number): Measure {
  const value = median(pairs.map(({ ours }) => ours))
  const floor = median(pairs.map((pair) => pair.floor))
  const ratio = value / floor
  return { what, unit: 'ms', value, floor, ratio, reach: `<= ${atMost} x floor`, reached: ratio <= atMost }
}

/** @param share 0 to 1; the nearest rank */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('There is nothing to take a quantile of.')
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
