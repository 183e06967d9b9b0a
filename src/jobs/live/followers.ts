import type { AccountHolder } from '../../access/actor.ts'
import type { Subscriptions } from '../../callers/subscriptions.ts'
import type { Identified } from '../../concurrency/latest-stream.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import type { Job } from '../job-shape.ts'
import { isTerminal } from '../job-states.ts'

const MAX_REMEMBERED = 1000
const LEFT = ''

export type JobStates = PullStream<Job>

/** Null if the job no longer matches or is deleted. */
export interface JobChange {
  readonly id: string
  readonly job: Job | null
}

export interface Interest {
  /** One job until it ends; null: all jobs that `accepts` takes. */
  readonly jobId: string | null
  accepts(job: Job): boolean
  readonly ignoresProgress?: boolean
}

export interface Shape<T extends Identified> {
  of(job: Job): T
  readonly left: ((id: string) => T) | null
}

export const STATES: Shape<Job> = { of: (job) => job, left: null }
export const CHANGES: Shape<JobChange> = { of: (job) => ({ id: job.id, job }), left: (id) => ({ id, job: null }) }

export interface Follower {
  readonly interest: Interest
  push(job: Job): void
  readonly leave: ((id: string) => void) | null
  finish(): void
  readonly sent: Map<string, string>
}

export interface Followers {
  readonly accounts: ReadonlyMap<string, ReadonlySet<Follower>>
  /**
   * @param counted whether it counts against the caller's subscriptions
   * @throws RATE_LIMITED
   */
  add<T extends Identified>(
    caller: AccountHolder,
    interest: Interest,
    shape: Shape<T>,
    counted: boolean,
  ): { readonly follower: Follower; readonly states: PullStream<T> }
}

export function openFollowers(subscriptions: Subscriptions): Followers {
  const accounts = new Map<string, Set<Follower>>()
  const add: Followers['add'] = (caller, interest, shape, counted) => {
    const { accountId } = caller
    const onEnd = (): void => {
      const followers = accounts.get(accountId)
      followers?.delete(follower)
      if (followers?.size === 0) accounts.delete(accountId)
    }
    const { states, push, finish } = subscriptions.open<ReturnType<typeof shape.of>>(caller, { onEnd, counted })
    const { left } = shape
    const follower: Follower = {
      ...{ interest, finish, sent: new Map() },
      push: (job) => push(shape.of(job)),
      leave: left === null ? null : (id) => push(left(id)),
    }
    accounts.set(accountId, (accounts.get(accountId) ?? new Set()).add(follower))
    return { follower, states }
  }
  return { accounts, add }
}

export function anyWants(followers: Iterable<Follower>, jobId: string): boolean {
  for (const { interest } of followers) if (interest.jobId === null || interest.jobId === jobId) return true
  return false
}

export function notifyFollower(follower: Follower, { job, stamp, progress }: FetchedJob): void {
  const { interest, sent, leave } = follower
  if (interest.jobId !== null && interest.jobId !== job.id) return
  const state = interest.ignoresProgress ? stamp : `${stamp} ${progress}`
  if (sent.get(job.id) === state) return
  if (interest.accepts(job)) {
    remember(sent, job.id, state)
    follower.push(job)
    if (interest.jobId !== null && isTerminal(job.status)) follower.finish()
  } else if (leave !== null && mayHave(follower, job)) {
    remember(sent, job.id, LEFT)
    leave(job.id)
  }
}

function remember(sent: Map<string, string>, jobId: string, state: string): void {
  // Keeps the oldest first.
  if (sent.size > 1) sent.delete(jobId)
  sent.set(jobId, state)
  if (sent.size > MAX_REMEMBERED) sent.delete(sent.keys().next().value as string)
}

/** An earlier list may hold the job in an earlier state. */
function mayHave({ interest, sent }: Follower, job: Job): boolean {
  const last = sent.get(job.id)
  return last === undefined ? earlierStates(job).some((earlier) => interest.accepts(earlier)) : last !== LEFT
}

const UNFINISHED = { completedAt: null, errorCode: null, isProhibited: null } as const

const earlierStates = (job: Job): Job[] => [
  ...(job.status === 'queued' ? [] : [{ ...job, ...UNFINISHED, status: 'queued' as const }]),
  ...(job.status === 'processing' || job.attempt === 0
    ? []
    : [{ ...job, ...UNFINISHED, status: 'processing' as const }]),
]

export interface GoneJob {
  readonly accountId: string
  readonly jobId: string
}

export function notifyFollowerOfGone({ interest, finish, leave, sent }: Follower, { jobId }: GoneJob): void {
  const last = sent.get(jobId)
  sent.delete(jobId)
  if (interest.jobId === jobId) finish()
  else if (interest.jobId === null && last !== LEFT) leave?.(jobId)
}

export const keptBy = ({ leave, sent }: Follower): string[] =>
  leave === null ? [] : [...sent].flatMap(([id, last]) => (last === LEFT ? [] : [id]))

export interface FetchedJob {
  readonly job: Job
  readonly stamp: string
  readonly progress: string
  /** Null: all followers of the account. */
  readonly followers: ReadonlySet<Follower> | null
}
