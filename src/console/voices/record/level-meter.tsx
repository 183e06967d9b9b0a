import type { Signal } from '@preact/signals'
import { decibels, LOUDNESS_WORDS, type Loudness } from './levels.ts'
import type { Meter } from './use-recorder.ts'

const LOWEST_DB = -60

interface LevelMeterProps {
  readonly meter: Signal<Meter>
  /** The judgement is read out. A screen reader's voice would be recorded. */
  readonly isSaid: boolean
}

/** How loud the microphone hears, as a bar and in words. */
export const LevelMeter = ({ meter, isSaid }: LevelMeterProps) => {
  const { peak, loudness } = meter.value
  return (
    <div class="level">
      <meter
        min={LOWEST_DB}
        max={0}
        low={-26}
        high={-1}
        optimum={-12}
        value={Math.max(LOWEST_DB, decibels(peak))}
        aria-label="Level"
        aria-valuetext={LOUDNESS_WORDS[loudness]}
      />
      <Judgement loudness={loudness} isSaid={isSaid} />
    </div>
  )
}

const Judgement = ({ loudness, isSaid }: { readonly loudness: Loudness; readonly isSaid: boolean }) => (
  <span class={`level-words ${loudness}`} aria-live={isSaid ? 'polite' : 'off'}>
    {LOUDNESS_WORDS[loudness]}
  </span>
)
