import { signal } from '@preact/signals'
import { ask } from '../api/ask.ts'
import { timeNow } from '../api/clock.ts'
import { follow } from '../api/follow.ts'
import { randomKey } from '../api/random-key.ts'
import { session, signOuts } from '../api/session.ts'
import { type HeardQuery, heard, retryJob, type SpeakingSubscription, speak, speaking, waiting } from '../operations.ts'

type Progress = SpeakingSubscription['jobUpdated']
export type Audio = HeardQuery['voiceJob']

/** One press of Speak. The service never returns a text: it stays in this tab, and goes with it. */
export interface Take {
  readonly jobId: string
  readonly endpoint: string
  readonly voice: string
  readonly voiceName: string
  readonly text: string
  /** As they were submitted. */
  readonly inputs: Readonly<Record<string, unknown>>
  readonly at: string
  readonly progress: Progress | null
  readonly audio: Audio | null
}

const MAX_TAKES = 40

/** Newest first. */
export const takes = signal<readonly Take[]>([])

/** The last press that was not answered with its job: the same one again is the same job, whatever the answers in between were. */
let lost: { readonly request: string; readonly key: string } | null = null

signOuts.subscribe(() => {
  takes.value = []
  lost = null
})

type NewTake = Pick<Take, 'endpoint' | 'voice' | 'voiceName' | 'text' | 'inputs'>

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

/** What has failed once more, as a new job: it stays. @param idempotencyKey the same one leads to the same job @throws ApiError */
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
      if (hasEnded(jobUpdated)) queueMicrotask(() => stop())
    },
    () => followed.delete(jobId),
  )
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
}

function change(jobId: string, changes: Partial<Take>): void {
  takes.value = takes.value.map((take) => (take.jobId === jobId ? { ...take, ...changes } : take))
}
