import { requireAccount, requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { inParallel } from '../concurrency/in-parallel.ts'
import { invalidRequest, type ServiceError } from '../errors/service-error.ts'
import { attempted } from '../jobs/each-id.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import { submitVoiceJob, type VoiceJobContext, type VoiceJobInput } from './submit-voice-job.ts'

const MAX_INPUTS = 100
/** As many insertions share a commit. */
const AT_ONCE = 32
/** The place of an input is appended. */
const MAX_KEY_CHARACTERS = 200

export interface VoiceJobsInput extends Omit<VoiceJobInput, 'inputs' | 'retryOf' | 'sent' | 'spend'> {
  readonly inputs: readonly unknown[]
}

/**
 * Submits 1 to 100 texts to one endpoint, each as `submitVoiceJob` does; each is refused alone. The idempotency key of an input is the given
 * one, a space, and its place from 0 on.
 * @returns a submission or the reason of its refusal for each input, in their order
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST for the number of inputs or a long key
 */
export async function submitVoiceJobs(
  ctx: VoiceJobContext,
  { inputs, idempotencyKey, ...rest }: VoiceJobsInput,
): Promise<(Submission | ServiceError)[]> {
  requireScope(ctx, VOICE_SCOPE)
  requireAccount(ctx)
  checkShape(inputs, idempotencyKey)
  return inParallel(inputs, AT_ONCE, (one, place) => {
    const key = idempotencyKey == null ? null : `${idempotencyKey} ${place}`
    return attempted(ctx, () => submitVoiceJob(ctx, { ...rest, inputs: one, idempotencyKey: key }))
  })
}

function checkShape(inputs: readonly unknown[], idempotencyKey: string | null | undefined): void {
  const details = [
    ...(inputs.length < 1 || inputs.length > MAX_INPUTS
      ? [{ path: '/inputs', message: `must have 1 to ${MAX_INPUTS} items` }]
      : []),
    ...(idempotencyKey != null && idempotencyKey.length > MAX_KEY_CHARACTERS
      ? [{ path: '/options/idempotencyKey', message: `must have at most ${MAX_KEY_CHARACTERS} characters` }]
      : []),
  ]
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
}
