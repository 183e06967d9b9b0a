import type { Parts } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { findJobsWith } from '../jobs/job.ts'
import { type PolledJob, presentVoiceJob } from '../jobs/job-result.ts'
import type { UrlParts } from '../jobs/sign-outputs.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { idTime } from '../values/id.ts'
import { UnreadableSecret } from '../values/secret-vault.ts'
import type { DeliveryKind } from './delivery/webhook-delivery.ts'
import { type SealedSecrets, type SigningParts, sealedColumns, signDelivery, signingSecrets } from './signing.ts'

export interface DeliveryParts extends Parts, SigningParts, UrlParts, MeasuredParts {}

export interface PayloadSnapshot {
  readonly timestamp: number
  readonly signature: string
  readonly body: Buffer
}

export interface Subject {
  /** The delivery's. */
  readonly id: string
  readonly accountId: string
  readonly kind: DeliveryKind
  readonly jobId: string
}

const SIGNED_JOBS = { name: 'signed_jobs', columns: sealedColumns('j.account_id') }
const SAMPLE_OUTPUT = { output: 'audio', contentType: 'audio/wav' }

/** Returns bodies and signatures as of now; null if the account's secret is unreadable, because nothing is sent unsigned. */
export async function snapshotPayloads(
  parts: DeliveryParts,
  tx: Tx,
  subjects: readonly Subject[],
): Promise<(PayloadSnapshot | null)[]> {
  const ids = subjects.flatMap(({ kind, jobId }) => (kind === 'job' ? [jobId] : []))
  const found = ids.length === 0 ? [] : await findJobsWith<SealedSecrets>(tx, ids, SIGNED_JOBS)
  const jobs = new Map(found.map((job) => [job.id, job]))
  const snapshots: (PayloadSnapshot | null)[] = []
  // One after the other: the first of an account may create its secret.
  for (const subject of subjects) {
    const { kind, jobId } = subject
    const job = kind === 'job' ? jobs.get(jobId) : sampleJob(jobId)
    if (job === undefined) throw new Error(`the job ${jobId} vanished`)
    snapshots.push(await signPayload(parts, tx, subject, job))
  }
  return snapshots
}

async function signPayload(
  parts: DeliveryParts,
  tx: Tx,
  { id, accountId }: Subject,
  job: PolledJob & Partial<SealedSecrets>,
): Promise<PayloadSnapshot | null> {
  const body = Buffer.from(JSON.stringify(await presentVoiceJob(parts, job)))
  const { sealed, signedAt } = job
  const read = sealed && signedAt !== undefined ? { sealed, signedAt } : undefined
  try {
    const { secrets, timestamp } = await signingSecrets(parts, tx, accountId, read)
    return { timestamp, body, signature: signDelivery(secrets, id, String(timestamp), body) }
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    // The job still ends; its delivery is recorded as failed.
    parts.log.error({ accountId }, 'a webhook secret does not open: set OLD_SECRET_KEY and rekey')
    return null
  }
}

const sampleJob = (jobId: string): PolledJob => ({
  id: jobId,
  endpointKey: '',
  status: 'completed',
  createdAt: idTime(jobId),
  completedAt: idTime(jobId),
  errorCode: null,
  storedOutputs: [{ ...SAMPLE_OUTPUT, storageKey: `${jobId}/1/audio.wav` }],
})
