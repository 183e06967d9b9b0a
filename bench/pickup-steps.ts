import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PickupTimes, Statement } from './floors/pickup-times.ts'
import { figure, type Measure, median } from './measure.ts'

const US_PER_MS = 1000
/** Jobs by which everything has run before. */
const WARM_UP = 20

/** The way of one job, in milliseconds since 1970; the last two are null where its insertion has claimed it. */
interface Way {
  readonly received: number
  readonly lookedUp: number
  readonly inserting: number
  /** When the API has the answer: it is committed before. */
  readonly committed: number
  /** Null where no notification came to the process that claims. */
  readonly heard: number | null
  readonly claiming: number | null
  readonly claimed: number | null
}

export interface Steps {
  readonly measures: readonly Measure[]
  readonly note: string
}

/**
 * Steps from a POST to the claim of its job, in microseconds: medians of what `floors/pickup-times.ts` wrote to a directory.
 * @param submitted how many jobs there were
 */
export async function stepsOf(where: string, directory: string, submitted: number): Promise<Steps> {
  const processes: PickupTimes[] = []
  for (const file of await readdir(directory))
    processes.push(JSON.parse(await readFile(join(directory, file), 'utf8')) as PickupTimes)
  const ways = processes.flatMap((times) => waysOf(times, processes))
  const apart = processes.flatMap(({ statements }) => statements).filter(isClaimApart)
  const claimedApart = new Set(apart.flatMap(({ jobIds }) => jobIds)).size
  const note = `${where}: the steps leave out ${submitted - ways.length} of ${submitted} jobs, ${claimedApart} of them claimed by claim_jobs`
  return { measures: measuresOf(where, ways.slice(WARM_UP)), note }
}

function measuresOf(where: string, ways: readonly Way[]): Measure[] {
  if (ways.length === 0) return []
  const later = ways.filter(({ claimed }) => claimed !== null)
  const step = (what: string, all: readonly Way[], took: (way: Way) => number): Measure[] =>
    all.length === 0 ? [] : [figure(`${where}, ${what}`, 'µs', median(all.map(took)) * US_PER_MS)]
  const heard = later.filter((way) => way.heard !== null)
  return [
    ...step('POST received to key looked up', ways, (way) => way.lookedUp - way.received),
    ...step('key looked up to insertion begun', ways, (way) => way.inserting - way.lookedUp),
    ...step('insertion begun to commit answered', ways, (way) => way.committed - way.inserting),
    ...step('commit answered to notification heard', heard, (way) => way.heard! - way.committed),
    ...step('notification heard to claim begun', heard, (way) => way.claiming! - way.heard!),
    ...step('commit answered to claim begun', later, (way) => way.claiming! - way.committed),
    ...step('claim begun to claimed', later, (way) => way.claimed! - way.claiming!),
    ...step('POST received to claimed', ways, (way) => (way.claimed ?? way.committed) - way.received),
    figure(`${where}, claimed by the commit that made them`, '%', (100 * (ways.length - later.length)) / ways.length),
  ]
}

const isClaim = ({ name }: Statement) => name === 'claim_queued_rows'
/** A claim of a job whose queue row another statement took before: not the measured way. */
const isClaimApart = ({ name }: Statement) => name === 'claim_jobs'
const lastBefore = (times: readonly number[], moment: number) => times.findLast((time) => time <= moment)

function waysOf({ requests, statements }: PickupTimes, processes: readonly PickupTimes[]): Way[] {
  const lookUps = statements.filter(({ name }) => name === 'authenticate').map(({ answered }) => answered)
  const insertions = statements.filter(({ name }) => name.startsWith('insert'))
  return insertions.flatMap(({ name, begun, answered, jobIds }) => {
    const [received, lookedUp] = [lastBefore(requests, begun), lastBefore(lookUps, begun)]
    // A key that was looked up for the request before: this one's has not been seen.
    if (received === undefined || lookedUp === undefined || lookedUp < received) return []
    const way = { received, lookedUp, inserting: begun, committed: answered }
    return jobIds.flatMap((jobId): Way[] => {
      if (name.startsWith('insert_taken')) return [{ ...way, heard: null, claiming: null, claimed: null }]
      const claim = claimOf(jobId, begun, processes)
      return claim === null ? [] : [{ ...way, ...claim }]
    })
  })
}

function claimOf(jobId: string, since: number, processes: readonly PickupTimes[]) {
  for (const { statements, notifications } of processes) {
    const claim = statements.find((one) => isClaim(one) && one.jobIds.includes(jobId))
    if (claim === undefined) continue
    const heard = lastBefore(notifications, claim.begun)
    const isOfIt = heard !== undefined && heard >= since
    return { heard: isOfIt ? heard : null, claiming: claim.begun, claimed: claim.answered }
  }
  return null
}
