import type { Parts } from '../context/context.ts'
import { describeError } from '../errors/describe-error.ts'
import type { Claim } from '../jobs/lifecycle/claim-job.ts'
import { partKey } from '../jobs/parts/part-key.ts'
import { recordPart } from '../jobs/parts/record-part.ts'
import type { SpokenPart } from './assemble.ts'
import { toFile } from './join.ts'
import type { SpeechRelay } from './speech-relay.ts'

interface PartPublisher {
  readonly publish: (part: SpokenPart) => void
  settled(): Promise<void>
}

/** Relays parts to listeners here, stores them in order and notifies other processes. A storage error ends storing. */
export function publishParts(
  parts: Pick<Parts, 'db' | 'notifier' | 'storage' | 'log'> & { readonly speechRelay: SpeechRelay },
  claim: Claim,
  signal: AbortSignal,
): PartPublisher {
  let last = Promise.resolve()
  let isBroken = false
  const write = async ({ index, wav }: SpokenPart): Promise<void> => {
    if (isBroken || signal.aborted) return
    try {
      const key = partKey(claim.jobId, claim.attempt, index)
      await parts.storage.put(key, toFile(wav), { contentType: 'audio/wav', signal })
      await recordPart(parts, claim, index + 1)
    } catch (error) {
      isBroken = true
      parts.log.warn({ jobId: claim.jobId, ...describeError(error) }, 'a part of the speech could not be stored')
    }
  }
  return {
    publish: (part) => {
      const { samples, sampleRate } = part.wav
      parts.speechRelay.publish(claim.jobId, { attempt: claim.attempt, index: part.index, samples, sampleRate })
      last = last.then(() => write(part))
    },
    settled: () => last,
  }
}
