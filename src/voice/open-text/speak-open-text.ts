import { timeLimit } from '../../concurrency/time-limit.ts'
import type { Parts } from '../../context/context.ts'
import type { SpeechEngine } from '../../engines/engine.ts'
import { JobFailure } from '../../jobs/job-states.ts'
import type { Claim } from '../../jobs/lifecycle/claim-job.ts'
import type { PieceSpeaker, TimedPart } from './speak-pieces.ts'
import { readText, sealText, type TextState } from './text-state.ts'
import type { TextWaits, TextWatch } from './text-waits.ts'

interface OpenTextParts extends Pick<Parts, 'db'> {
  readonly textWaits: TextWaits
}

interface Speaking {
  readonly claim: Claim
  readonly speaker: PieceSpeaker
  /** The parts that were spoken so far. */
  readonly parts: readonly Pick<TimedPart, 'textEnd'>[]
  /** The limit holds for each piece. */
  readonly timeLimitSeconds: number
  readonly signal: AbortSignal
  /** Gives up the place of the job, which waits. */
  readonly park: (() => void) | undefined
  use<T>(work: (engine: SpeechEngine) => Promise<T>): Promise<T>
}

/**
 * Speaks a job's text as it comes, until it is closed or its time is over. A job that waits is parked.
 * @returns the whole text, which no caller can change any more
 * @throws EngineError, JobFailure, the signal's reason
 */
export async function speakOpenText(parts: OpenTextParts, speaking: Speaking): Promise<TextState> {
  const { claim, speaker, signal, park } = speaking
  const watch = await parts.textWaits.watch(claim.jobId)
  const isSpoken = (state: TextState) =>
    speaker.count >= state.pieces.length || spokenEnd(speaking) >= state.text.length
  try {
    let known: TextState = { text: String(claim.inputs.text), pieces: claim.options.pieces ?? [] }
    let [openUntil, wakes] = [0, watch.wakes]
    for (;;) {
      if (!isSpoken(known)) await speakNext(parts, speaking, watch, known)
      // Nothing more is written than was read, unless it woke the worker.
      if (isSpoken(known) && watch.wakes === wakes && openUntil > performance.now()) {
        park?.()
        await watch.next(signal, openUntil - performance.now())
      }
      wakes = watch.wakes
      const next = await readText(parts, claim)
      known = next
      openUntil = next.openMs === null ? 0 : performance.now() + next.openMs
      if (isSpoken(next) && next.openMs === null && (await sealText(parts, claim, next))) return next
    }
  } finally {
    watch.close()
  }
}

const spokenEnd = ({ parts }: Pick<Speaking, 'parts'>): number => parts.at(-1)?.textEnd ?? 0

/** Speaks the next piece; ends early if the text is cut and all that is left of it was spoken. */
async function speakNext(
  parts: OpenTextParts,
  { claim, speaker, parts: spoken, timeLimitSeconds, signal, use }: Speaking,
  watch: TextWatch,
  known: TextState,
): Promise<void> {
  const limit = timeLimit(timeLimitSeconds * 1000)
  const [cut, over] = [new AbortController(), new AbortController()]
  const isCut = ({ text }: TextState) => text.length < known.text.length && spokenEnd({ parts: spoken }) >= text.length
  const watching = untilRead(parts, claim, watch, over.signal, isCut).then(
    () => cut.abort(new Error('the text was cut')),
    () => undefined,
  )
  const ending = AbortSignal.any([signal, limit.signal, cut.signal])
  try {
    const deadline = performance.now() + timeLimitSeconds * 1000
    await use((engine) => speaker.speak(engine, known, ending, deadline))
  } catch (error) {
    if (signal.aborted || !(limit.signal.aborted || cut.signal.aborted)) throw error
    if (!cut.signal.aborted)
      throw new JobFailure('JOB_TIMEOUT', `the engine took longer than ${timeLimitSeconds} s for a piece`)
  } finally {
    limit.close()
    over.abort()
    await watching
  }
}

async function untilRead(
  parts: OpenTextParts,
  claim: Claim,
  watch: TextWatch,
  signal: AbortSignal,
  isWanted: (state: TextState) => boolean,
): Promise<void> {
  do await watch.next(signal)
  while (!isWanted(await readText(parts, claim)))
}
