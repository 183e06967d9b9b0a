import { signal } from '@preact/signals'
import { ask } from '../api/ask.ts'
import { timeNow } from '../api/clock.ts'
import { follow } from '../api/follow.ts'
import { leftAt, TAKES } from '../api/left.ts'
import { randomKey } from '../api/random-key.ts'
import { session, signOuts } from '../api/session.ts'
import {
  type HeardQuery,
  heard,
  type RecentTakesQuery,
  recentTakes,
  retryJob,
  type SpeakingSubscription,
  speak,
  speaking,
  waiting,
} from '../operations.ts'
import { announce } from '../parts/announce.ts'
import { forget, keep, type StorageName, takeKept } from './kept.ts'

type Progress = SpeakingSubscription['jobUpdated']
export type Audio = HeardQuery['voiceJob']

/** A job of speech of this user, with the text and settings of the press of Speak where this page made it. */
export interface Take {
  readonly jobId: string
  readonly endpoint: string
  readonly voice: string
  readonly voiceName: string
  /** '' where only its beginning is known: the words of its audio say it. */
  readonly text: string
  /** Its first words; null where the service keeps no text. */
  readonly excerpt?: string | null
  /** As they were submitted. */
  readonly inputs: Readonly<Record<string, unknown>>
  /** That the text was found to be in; absent where that is not known. */
  readonly language?: string | null
  readonly at: string
  readonly progress: Progress | null
  readonly audio: Audio | null
  /** The page restored the take from the account's jobs, so it does not play by itself. */
  readonly isBack?: boolean
}

const MAX_TAKES = 40
/** The page restores takes of the user from so many of the account's newest jobs, up to `MAX_BACK` takes. */
const LOOKED_AT = 50
const MAX_BACK = 10
const STORAGES: readonly StorageName[] = ['localStorage']

/** Newest first. */
export const takes = signal<readonly Take[]>([])

/** The last press that was not answered with its job: the same one again is the same job, whatever the answers in between were. */
let lost: { readonly request: string; readonly key: string } | null = null

/** The user whose takes the page has restored since it was opened. */
let broughtFor: string | null = null

/** Only this browser knows these fields. */
interface Noted {
  /** Ids of the jobs that the user has hidden here. */
  readonly dropped: readonly string[]
}

signOuts.subscribe((times) => {
  takes.value = []
  lost = null
  broughtFor = null
  if (times > 0) forget(TAKES, STORAGES)
})

type NewTake = Pick<Take, 'endpoint' | 'voice' | 'voiceName' | 'text' | 'inputs' | 'language'>

/** Submits, and follows the job until it has ended; what was signed out from meanwhile is not kept. @throws ApiError */
export async function startTake(take: NewTake): Promise<void> {
  const before = signOuts.peek()
  const { endpoint, inputs } = take
  const request = JSON.stringify([endpoint, inputs])
  const idempotencyKey = lost?.request === request ? lost.key : randomKey()
  lost = { request, key: idempotencyKey }
  const { submitVoiceJob: submitted } = await ask(speak, { slug: endpoint, inputs, idempotencyKey })
  if (signOuts.peek() !== before) return
  lost = null
  add(take, submitted.jobId)
}

/**
 * Submits a failed take again as a new job; the take stays.
 * @param idempotencyKey the same one leads to the same job
 * @throws ApiError
 */
export async function retryTake(take: Take, idempotencyKey: string): Promise<void> {
  const before = signOuts.peek()
  const { retryJob: submitted } = await ask(retryJob, { jobId: take.jobId, idempotencyKey })
  if (signOuts.peek() === before) add(take, submitted.jobId)
}

function add(take: NewTake, jobId: string): void {
  const fresh: Take = { ...take, jobId, at: new Date(timeNow()).toISOString(), progress: null, audio: null }
  takes.value = [fresh, ...takes.value].slice(0, MAX_TAKES)
  refresh(jobId)
  followTake(jobId)
}

/** Brings back the user's takes since the last sign-out in this browser, from the account's newest jobs, once for each opening of the page, where the service is reached. */
export async function bringBack(): Promise<void> {
  const user = session.peek()?.user
  if (!user || broughtFor === user.id) return
  const before = signOuts.peek()
  const found = await ask(recentTakes, { first: LOOKED_AT }).catch(() => null)
  if (found === null || signOuts.peek() !== before) return
  broughtFor = user.id
  const { dropped } = noted()
  // Jobs carry the service's time, so the moment of the sign-out is converted to it.
  const since = leftAt() + timeNow() - Date.now()
  const here = new Set([...dropped, ...takes.peek().map(({ jobId }) => jobId)])
  const back = found.jobs.edges
    .flatMap(({ node }) => (node.__typename === 'VoiceJob' && node.submittedBy?.callerId === user.id ? [node] : []))
    .filter(({ id, createdAt }) => !here.has(id) && Date.parse(String(createdAt)) > since)
    .slice(0, MAX_BACK)
    .map(takeOf)
  takes.value = [...takes.peek(), ...back].toSorted((a, b) => (a.at < b.at ? 1 : -1))
  followOn()
}

type RecentJob = Extract<RecentTakesQuery['jobs']['edges'][number]['node'], { __typename: 'VoiceJob' }>

function takeOf(job: RecentJob): Take {
  const endpoint = job.endpointKey.replace(/^voice\./, '')
  const { voice, voiceName, characters, textExcerpt: excerpt } = job
  const isWhole = excerpt != null && [...excerpt].length === characters
  return {
    ...{ endpoint, voice: voice ?? endpoint, voiceName: voiceName ?? voice ?? endpoint },
    ...{ text: isWhole ? excerpt : '', excerpt, inputs: {}, isBack: true },
    jobId: job.id,
    at: String(job.createdAt),
    progress: job,
    audio: job,
  }
}

const noted = (): Noted => ({ dropped: [], ...takeKept<Noted>(TAKES, session.peek()?.user.id, STORAGES) })
const note = (change: (before: Noted) => Noted): void => keep(TAKES, change(noted()), STORAGES)

const followed = new Set<string>()

// Those that were followed in a session that has ended are followed on in the next one, as soon as that has its socket.
session.subscribe((begun) => {
  if (begun) queueMicrotask(followOn)
})

function followOn(): void {
  for (const take of takes.peek()) if (isUnderway(take)) followTake(take.jobId)
}

function followTake(jobId: string): void {
  if (followed.has(jobId)) return
  followed.add(jobId)
  const stop = follow(
    speaking,
    { id: jobId },
    ({ jobUpdated }) => {
      change(jobId, { progress: jobUpdated })
      if (jobUpdated.status === 'COMPLETED') refresh(jobId)
      if (!hasEnded(jobUpdated)) return
      announceEnd(jobId, jobUpdated)
      queueMicrotask(() => stop())
    },
    () => followed.delete(jobId),
  )
}

function announceEnd(jobId: string, { status, errorCode }: Progress): void {
  const take = takes.peek().find((one) => one.jobId === jobId)
  if (take === undefined) return
  const end = status === 'COMPLETED' ? 'is done' : errorCode === 'JOB_CANCELLED' ? 'is cancelled' : 'has failed'
  announce(`The take by ${take.voiceName} ${end}.`)
}

const hasEnded = ({ status }: Progress): boolean => status === 'COMPLETED' || status === 'FAILED'

const isUnderway = ({ progress }: Take): boolean => progress === null || !hasEnded(progress)

/** Signs its URLs again, where the service is reached. */
export function refresh(jobId: string): void {
  ask(heard, { jobId }).then(
    ({ voiceJob }) => change(jobId, { audio: voiceJob }),
    () => {},
  )
}

/** Asks again where in the queue a job is, and whether a worker takes from that, where the service is reached. */
export function refreshPlace(jobId: string): void {
  ask(waiting, { jobId }).then(
    ({ voiceJob: { status, queuePosition, poolServed } }) => {
      const progress = takes.peek().find((take) => take.jobId === jobId)?.progress
      if (progress?.status === status) change(jobId, { progress: { ...progress, queuePosition, poolServed } })
    },
    () => {},
  )
}

export function dropTake(jobId: string): void {
  takes.value = takes.value.filter((take) => take.jobId !== jobId)
  note(({ dropped }) => ({ dropped: [jobId, ...dropped].slice(0, LOOKED_AT) }))
}

function change(jobId: string, changes: Partial<Take>): void {
  takes.value = takes.value.map((take) => (take.jobId === jobId ? { ...take, ...changes } : take))
}
