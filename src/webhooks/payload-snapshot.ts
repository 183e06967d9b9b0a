import type { Parts } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { findJobWith } from '../jobs/find-job.ts'
import { type PolledJob, presentVoiceJob } from '../jobs/present-voice-job.ts'
import type { UrlParts } from '../jobs/speech-urls.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'
import { idTime } from '../values/id.ts'
import { UnreadableSecret } from '../values/secret-vault.ts'
import type { DeliveryKind } from './delivery/webhook-delivery.ts'
import { signDelivery } from './signing/sign.ts'
import { type SealedSecrets, type SigningParts, sealedColumns, signingSecrets } from './signing/signing-secrets.ts'

/** What making a delivery needs: the secrets that sign it. */
export interface DeliveryParts extends Parts, SigningParts, UrlParts, MeasuredParts {}

/** The bytes of a delivery and their signature. */
export interface PayloadSnapshot {
  /** Unix seconds. */
  readonly timestamp: number
  readonly signature: string
  readonly body: Buffer
}

/** What a delivery is about. A test has the id of a job that never was. */
export interface Subject {
  readonly accountId: string
  readonly kind: DeliveryKind
  readonly jobId: string
}

/** SealedSecrets as columns of a statement that calls the job `j`. */
export const SIGNED_COLUMNS = sealedColumns('j.account_id')
/** What is sent of a job and what signs it, in one way to the database: the transaction that ends the job waits for it. */
const SIGNED_JOB = { name: 'signed_job', columns: SIGNED_COLUMNS }
const SAMPLE_OUTPUT = { output: 'audio', contentType: 'audio/wav' }

/** The bytes and the signature of a delivery as of now; null where the account's secret does not open: nothing goes out unsigned. */
export async function snapshotPayload(
  parts: DeliveryParts,
  tx: Tx,
  deliveryId: string,
  subject: Subject,
): Promise<PayloadSnapshot | null> {
  const finished = subject.kind === 'job' ? await finishedJob(tx, subject.jobId) : undefined
  const { accountId } = subject
  try {
    return await signPayload(parts, tx, { deliveryId, accountId }, finished ?? sampleJob(subject.jobId))
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    // The job must end all the same: a delivery that cannot be signed is recorded as failed.
    parts.log.error({ accountId }, 'a webhook secret does not open: set OLD_SECRET_KEY and rekey')
    return null
  }
}

/**
 * The same of a job that was read with its secrets, as it is given: then `tx` is only asked where the account has none yet.
 * @throws UnreadableSecret
 */
export async function signPayload(
  parts: DeliveryParts,
  tx: Pick<Tx, 'query'>,
  { deliveryId, accountId }: { readonly deliveryId: string; readonly accountId: string },
  job: PolledJob & Partial<SealedSecrets>,
): Promise<PayloadSnapshot> {
  const body = Buffer.from(JSON.stringify(await presentVoiceJob(parts, job)))
  const { sealed, signedAt } = job
  const read = sealed && signedAt !== undefined ? { sealed, signedAt } : undefined
  const { secrets, timestamp } = await signingSecrets(parts, tx, accountId, read)
  return { timestamp, body, signature: signDelivery(secrets, deliveryId, String(timestamp), body) }
}

async function finishedJob(tx: Tx, jobId: string): Promise<PolledJob & SealedSecrets> {
  const job = await findJobWith<SealedSecrets>(tx, jobId, SIGNED_JOB)
  if (job === null) throw new Error(`the job ${jobId} vanished`)
  return job
}

/** What a completed job looks like, its URL signed like any other; it leads to nothing. */
const sampleJob = (jobId: string): PolledJob => ({
  id: jobId,
  endpointKey: '',
  status: 'completed',
  createdAt: idTime(jobId),
  completedAt: idTime(jobId),
  errorCode: null,
  storedOutputs: [{ ...SAMPLE_OUTPUT, storageKey: `${jobId}/1/audio.wav` }],
})
