import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { ownMedia } from '../api/base.ts'
import { peaks as peaksQuery } from '../operations.ts'
import { playTime, share } from './format.ts'
import { Icon, PlayGlyph } from './icon.tsx'
import { type AudioRef, useAudio, useAutoplay, useSource, volume } from './use-source.ts'
import { PEAKS, Waveform } from './waveform.tsx'

const RATES = [1, 1.25, 1.5, 2, 0.75] as const
const STEP_SECONDS = 5

interface PlayerProps {
  /** Null while there is nothing to hear. */
  readonly src: string | null
  /** The completed job whose waveform is drawn; null: none yet. */
  readonly waveOf: string | null
  /** Names the sound. */
  readonly label: string
  /** Plays as soon as it can. */
  readonly isAutoplay?: boolean
  /** Its URL has expired or its file is gone. */
  readonly onError?: () => void
  /** Content below that follows the sound. */
  readonly children?: (heard: Heard) => ComponentChildren
}

/** How a player stands. Its position is some tenths of a second old: the element has the very one. */
export interface Heard {
  readonly audio: AudioRef
  readonly isPlaying: boolean
  readonly position: number
  readonly onSeek: (seconds: number) => void
}

/** One player for everything that can be heard: the waveform is the scrubber; Space plays, the arrows move by five seconds. */
export function Player({ src, waveOf, label, isAutoplay = false, onError, children }: PlayerProps) {
  const audio = useRef<HTMLAudioElement>(null)
  const source = useSource(audio, src === null ? null : ownMedia(src))
  const { isPlaying, isGone, position, length, listeners } = useAudio(onError)
  const peaks = usePeaks(waveOf)
  useAutoplay(audio, source, isAutoplay)
  const { toggle, seek } = controlsOf(audio, onError)
  const known = Number.isFinite(length) ? length : 0
  return (
    <div class="player">
      <button
        type="button"
        class="play"
        aria-disabled={src === null}
        aria-label={isPlaying ? `Pause ${label}` : `Play ${label}`}
        onClick={toggle}
      >
        <PlayGlyph isPlaying={isPlaying} />
      </button>
      <div class="scrub">
        <Waveform peaks={peaks} played={known === 0 ? 0 : position / known} />
        <Scrubber label={label} position={position} length={known} onSeek={seek} onToggle={toggle} />
      </div>
      <div class="player-side">
        <span class="play-time">
          {playTime(position)} / {playTime(wholeSeconds(length))}
        </span>
        <VolumeSlider audio={audio} />
        <RateButton audio={audio} />
        <LoopButton audio={audio} />
      </div>
      <audio ref={audio} src={source ?? undefined} preload="metadata" {...listeners} />
      {isGone && <p class="hint bad">This audio cannot be loaded. It may have been deleted.</p>}
      {children?.({ audio, isPlaying, position, onSeek: seek })}
    </div>
  )
}

/** The length that is shown: a sound of less than a second has one. */
const wholeSeconds = (length: number): number => Math.max(1, Math.round(length))

/** The actions of the button, the scrubber and their keys. */
function controlsOf(audio: AudioRef, onError: (() => void) | undefined) {
  const toggle = (): void => {
    const element = audio.current
    if (element === null) return
    if (element.paused) void element.play().catch(() => onError?.())
    else element.pause()
  }
  const seek = (seconds: number): void => {
    if (audio.current !== null) audio.current.currentTime = seconds
  }
  return { toggle, seek }
}

interface ScrubberProps {
  readonly label: string
  readonly position: number
  readonly length: number
  readonly onSeek: (seconds: number) => void
  readonly onToggle: () => void
}

function Scrubber({ label, position, length, onSeek, onToggle }: ScrubberProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowLeft' ? -STEP_SECONDS : event.key === 'ArrowRight' ? STEP_SECONDS : 0
    if (event.key === ' ') onToggle()
    else if (step !== 0) onSeek(Math.min(length, Math.max(0, position + step)))
    else return
    event.preventDefault()
  }
  return (
    <input
      type="range"
      min="0"
      max={length}
      step="0.01"
      value={position}
      disabled={length === 0}
      aria-label={`Position in ${label}`}
      aria-valuetext={`${playTime(position)} of ${playTime(length)}`}
      onInput={(event) => onSeek(Number(event.currentTarget.value))}
      onKeyDown={onKeyDown}
    />
  )
}

function VolumeSlider({ audio }: { audio: AudioRef }) {
  const chosen = volume.value
  useEffect(() => {
    if (audio.current !== null) audio.current.volume = chosen
  }, [chosen])
  return (
    <span class="volume" title="Volume">
      <Icon name="volume" size={14} />
      <input
        type="range"
        {...{ min: 0, max: 1, step: 0.05, value: chosen }}
        aria-label="Volume"
        aria-valuetext={share(chosen)}
        onInput={({ currentTarget }) => {
          volume.value = Number(currentTarget.value)
        }}
      />
    </span>
  )
}

function RateButton({ audio }: { audio: AudioRef }) {
  const [rate, setRate] = useState<number>(1)
  const onClick = (): void => {
    const next = RATES[(RATES.indexOf(rate as (typeof RATES)[number]) + 1) % RATES.length] ?? 1
    setRate(next)
    if (audio.current === null) return
    audio.current.playbackRate = next
    // The next loaded sound keeps the rate.
    audio.current.defaultPlaybackRate = next
  }
  return (
    <button type="button" class="rate" aria-label={`Speed ${rate}`} title="Speed" onClick={onClick}>
      {rate}×
    </button>
  )
}

function LoopButton({ audio }: { audio: AudioRef }) {
  const [isOn, setOn] = useState(false)
  const onClick = (): void => {
    setOn(!isOn)
    if (audio.current !== null) audio.current.loop = !isOn
  }
  return (
    <button type="button" class="rate" aria-pressed={isOn} aria-label="Loop" title="Loop" onClick={onClick}>
      <Icon name="loop" size={14} />
    </button>
  )
}

/** The service reads the file: it may be long, in any format, or in a bucket that no script reads. Without an answer the waveform stays flat. */
function usePeaks(jobId: string | null): Float32Array | null {
  const [peaks, setPeaks] = useState<Float32Array | null>(null)
  useEffect(() => {
    setPeaks(null)
    if (jobId === null) return
    let isLatest = true
    ask(peaksQuery, { jobId, count: PEAKS }).then(
      ({ voiceJob }) => isLatest && setPeaks(scaled(voiceJob.artifacts.find(({ peaks }) => peaks)?.peaks ?? [])),
      () => {},
    )
    return () => {
      isLatest = false
    }
  }, [jobId])
  return peaks
}

/** Quiet speech is drawn as high as loud one. */
function scaled(peaks: readonly number[]): Float32Array | null {
  const loudest = Math.max(...peaks, 0)
  return loudest === 0 ? null : Float32Array.from(peaks, (peak) => peak / loudest)
}
