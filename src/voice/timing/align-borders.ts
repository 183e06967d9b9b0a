import type { SoundingClock, Stretch } from './sounding-clock.ts'

const FARTHEST_SHARE = 0.25
const PAUSE_WORTH = 2
const LONGEST_PAUSE_SHARE = 0.05

interface Border {
  readonly end: number
  readonly start: number
  readonly isAligned: boolean
}

/**
 * Assigns pauses to sentence borders by dynamic programming; interpolates a border without a pause by weight. Pure.
 * @param weights expected length of each sentence, in any unit
 */
export function alignBorders(clock: SoundingClock, weights: readonly number[]): Border[] {
  const { speech, gaps } = clock
  const shares = cumulative(weights)
  const length = speech.to - speech.from
  const inner = shares.slice(1, -1)
  const chosen = choose(
    inner.map((share) => speech.from + share * length),
    gaps,
    length,
  )
  const anchors = [{ from: speech.from, to: speech.from }, ...chosen, { from: speech.to, to: speech.to }]
  return inner.map((_, index) => {
    const gap = chosen[index]
    if (gap !== undefined) return { end: gap.from, start: gap.to, isAligned: true }
    const at = between(anchors, shares, index + 1)
    return { end: at, start: at, isAligned: false }
  })
}

function cumulative(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const parts = total > 0 ? weights.map((weight) => weight / total) : weights.map(() => 1 / weights.length)
  let sum = 0
  return [0, ...parts.map((part) => (sum += part))]
}

function between(anchors: readonly (Stretch | undefined)[], shares: readonly number[], index: number): number {
  const before = anchors.findLastIndex((anchor, at) => at < index && anchor !== undefined)
  const after = anchors.findIndex((anchor, at) => at > index && anchor !== undefined)
  const [from, to] = [anchors[before]!.to, anchors[after]!.from]
  const [low, high] = [shares[before]!, shares[after]!]
  return Math.round(from + (high > low ? (shares[index]! - low) / (high - low) : 0) * (to - from))
}

function choose(expected: readonly number[], gaps: readonly Stretch[], length: number): (Stretch | undefined)[] {
  const unmatched = FARTHEST_SHARE * length
  const rows: number[][] = [new Array<number>(gaps.length + 1).fill(0)]
  for (const [index, at] of expected.entries()) {
    const above = rows[index]!
    const row = [above[0]! + unmatched]
    for (const [g, gap] of gaps.entries())
      row.push(Math.min(row[g]!, above[g + 1]! + unmatched, above[g]! + cost(at, gap, length)))
    rows.push(row)
  }
  const chosen: (Stretch | undefined)[] = expected.map(() => undefined)
  for (let border = expected.length, g = gaps.length; border > 0; ) {
    if (g > 0 && rows[border]![g] === rows[border]![g - 1]) g--
    else if (rows[border]![g] === rows[border - 1]![g]! + unmatched) border--
    else chosen[--border] = gaps[--g]
  }
  return chosen
}

function cost(at: number, { from, to }: Stretch, length: number): number {
  const pause = Math.min(to - from, LONGEST_PAUSE_SHARE * length)
  return Math.abs((from + to) / 2 - at) - PAUSE_WORTH * pause
}
