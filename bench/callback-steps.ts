import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallbackTimes } from './floors/callback-times.ts'
import { figure, type Measure, median } from './measure.ts'

const US_PER_MS = 1000
/** Jobs end further apart: what began earlier belongs to another one. */
const MOST_MS = 200
const STEPS = ['read', 'signed', 'written', 'head written', 'first byte'] as const
/** Each from the moment that the one before it ended at. */
const WHAT: Readonly<Record<(typeof STEPS)[number], string>> = {
  read: 'read begun to answered: the job and the secrets',
  signed: 'answered to delivery begun: the payload signed',
  written: 'delivery begun to answered',
  'head written': 'delivery answered to head written: queue row, commit, attempt, undici',
  'first byte': 'head written to first byte at the receiver',
}

/**
 * Steps from a job's end to the first byte of its callback, in microseconds: medians of what `floors/callback-times.ts` wrote to a
 * directory.
 * @param arrivals when the first bytes came, in milliseconds since 1970, one job after the other
 */
export async function callbackSteps(directory: string, arrivals: readonly number[]): Promise<readonly Measure[]> {
  const processes: CallbackTimes[] = []
  for (const file of await readdir(directory))
    processes.push(JSON.parse(await readFile(join(directory, file), 'utf8')) as CallbackTimes)
  const ways = arrivals
    .flatMap((arrival) => processes.map((times) => wayOf(times, arrival)))
    .filter((way) => way !== null)
  if (ways.length === 0) return []
  const steps = STEPS.map((step, nth) => figure(WHAT[step], 'µs', median(ways.map((way) => way[nth]!)) * US_PER_MS))
  return [...steps, figure('deliveries of which all steps were seen', '%', (100 * ways.length) / arrivals.length)]
}

/** The lengths of the steps in milliseconds; null where one of them was not seen: another statement ended the job. */
function wayOf({ reads, writes, heads }: CallbackTimes, arrival: number): number[] | null {
  const head = heads.findLast((time) => time <= arrival)
  const write = writes.findLast(({ answered }) => head !== undefined && answered <= head)
  const read = reads.findLast(({ answered }) => write !== undefined && answered <= write.begun)
  if (head === undefined || write === undefined || read === undefined) return null
  const way = [read.begun, read.answered, write.begun, write.answered, head, arrival]
  return arrival - read.begun > MOST_MS ? null : STEPS.map((_step, nth) => way[nth + 1]! - way[nth]!)
}
