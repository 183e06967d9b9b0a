import type { SeriesPointFragment } from '../operations.ts'

/** One line of a chart reads this from a step. Null: nothing was measured. */
export type Measure<Point = SeriesPointFragment> = (point: Point) => number | null

/** A measure over the steps of a window, and over those of the window before it. */
export interface Line {
  /** Beginnings of the steps, in milliseconds. */
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
  /** The same step of the window before; empty where it is not compared. */
  readonly before: readonly (number | null)[]
}

/** The windows are as long as each other; where one has a step more, as around a change of clocks, its last one is left out. */
export function lineOf<Point extends { readonly at: string }>(
  points: readonly Point[],
  before: readonly Point[] | null,
  measure: Measure<Point>,
): Line {
  return {
    times: points.map(({ at }) => Date.parse(at)),
    values: points.map(measure),
    before: before === null ? [] : points.map((_point, index) => measureAt(before, index, measure)),
  }
}

function measureAt<Point>(points: readonly Point[], index: number, measure: Measure<Point>): number | null {
  const point = points[index]
  return point === undefined ? null : measure(point)
}

/** By how much it rose, as a share of before: 0.5 is half more. Null where there was nothing before. */
export const change = (now: number, before: number): number | null => (before === 0 ? null : now / before - 1)
