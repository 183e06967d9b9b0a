import type { Signal } from '@preact/signals'
import { decibels, LOUDNESS_WORDS } from './levels.ts'
import type { Meter } from './use-recorder.ts'

const LOWEST_DB = -60

interface LevelMeterProps {
  readonly meter: Signal<Meter>
}

/** How loud the microphone hears, as a bar and in words. Nothing is read out by itself: the microphone would hear it. */
export const LevelMeter = ({ meter }: LevelMeterProps) => {
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
      <span class={`level-words ${loudness}`}>{LOUDNESS_WORDS[loudness]}</span>
    </div>
  )
}
