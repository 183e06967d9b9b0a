import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ownMedia } from '../api/base.ts'
import { PlayGlyph } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'
import { pathOf, volume } from '../parts/use-source.ts'

/** After this time without sound a sample says that it waits. */
const SLOW_MS = 3000
const SLOW_SAMPLE = 'The sample is being made: its engine has not answered yet.'

/** The name of the playing sound: one plays at a time. */
const heard = signal<string | null>(null)
let element: HTMLAudioElement | null = null
/** Counts the presses: an address that comes after the next press is not played. */
let presses = 0

interface PreviewProps {
  /** Null while there is nothing to hear. */
  readonly src: string | null
  /** Names the sample. */
  readonly label: string
  /** Its URL has expired or its file is gone. */
  readonly onError?: (() => void) | undefined
}

/** Plays a short sample. The path of its URL names it, because the signature changes. */
export function PreviewButton({ src, label, onError }: PreviewProps) {
  const onFailed = (): void => {
    toast(`It could not be played: ${label}. Its engine may not answer: try again in a moment.`)
    onError?.()
  }
  return <SoundButton name={pathOf(src)} label={label} source={() => src} slow={SLOW_SAMPLE} onFailed={onFailed} />
}

interface SoundProps {
  /** Null while there is nothing to hear. */
  readonly name: string | null
  readonly label: string
  /** Asked at the press. */
  readonly source: () => string | null | Promise<string | null>
  /** Said if no sound comes for some seconds. */
  readonly slow?: string
  readonly onFailed: () => void
}

/** Plays a sound from its beginning, and ends whichever played before. */
export function SoundButton({ name, label, source, slow, onFailed }: SoundProps) {
  const isPlaying = name !== null && heard.value === name
  useEffect(
    () => () => {
      if (name !== null && heard.peek() === name) stop()
    },
    [name],
  )
  const onClick = (event: Event): void => {
    event.preventDefault()
    if (isPlaying) stop()
    else if (name !== null)
      void play(name, source, slow).catch((error: Error) => error.name !== 'AbortError' && onFailed())
  }
  return (
    <button
      type="button"
      class="play small"
      aria-disabled={name === null}
      aria-label={isPlaying ? `Stop ${label}` : `Play ${label}`}
      title={isPlaying ? 'Stop' : 'Listen'}
      onClick={onClick}
    >
      <PlayGlyph isPlaying={isPlaying} size={12} />
    </button>
  )
}

/** Plays a sample from its beginning, and ends whichever sound played before. */
export const playSample = (src: string): Promise<void> => play(pathOf(src) ?? src, () => src, SLOW_SAMPLE)

async function play(name: string, source: SoundProps['source'], slowNote: string | undefined): Promise<void> {
  stop()
  for (const other of document.querySelectorAll('audio')) other.pause()
  const press = ++presses
  const src = await source()
  if (src === null || press !== presses) return
  const audio = new Audio(ownMedia(src))
  audio.volume = volume.peek()
  // On the page, what is played next finds and pauses it.
  document.body.append(audio)
  audio.onpause = () => element === audio && stop()
  element = audio
  const slow = setTimeout(() => slowNote && toast(slowNote), SLOW_MS)
  await audio.play().finally(() => clearTimeout(slow))
  // Another one was pressed while this one was loaded.
  if (element === audio) heard.value = name
}

function stop(): void {
  const ended = element
  element = null
  ended?.pause()
  ended?.remove()
  heard.value = null
}
