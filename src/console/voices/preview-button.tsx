import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ownMedia } from '../api/base.ts'
import { PlayGlyph } from '../parts/icon.tsx'
import { toast } from '../parts/toast.tsx'
import { pathOf, volume } from '../parts/use-source.ts'

/** After this time without sound a sample says that it waits. */
const SLOW_MS = 3000

/** The path of the playing sample's URL, whose signature changes: one sample plays at a time. */
const heard = signal<string | null>(null)
let element: HTMLAudioElement | null = null

interface PreviewProps {
  /** Null while there is nothing to hear. */
  readonly src: string | null
  /** Names the sample. */
  readonly label: string
  /** Its URL has expired or its file is gone. */
  readonly onError?: (() => void) | undefined
}

/** Plays a short sample from its beginning, and ends whichever played before. */
export function PreviewButton({ src, label, onError }: PreviewProps) {
  const path = pathOf(src)
  const isPlaying = path !== null && heard.value === path
  useEffect(
    () => () => {
      if (path !== null && heard.peek() === path) stop()
    },
    [path],
  )
  const onFailed = (): void => {
    toast(`It could not be played: ${label}. Its engine may not answer: try again in a moment.`)
    onError?.()
  }
  const onClick = (event: Event): void => {
    event.preventDefault()
    if (isPlaying) stop()
    else if (src !== null) void playSample(src).catch((error: Error) => error.name !== 'AbortError' && onFailed())
  }
  return (
    <button
      type="button"
      class="play small"
      disabled={src === null}
      aria-label={isPlaying ? `Stop ${label}` : `Play ${label}`}
      title={isPlaying ? 'Stop' : 'Listen'}
      onClick={onClick}
    >
      <PlayGlyph isPlaying={isPlaying} size={12} />
    </button>
  )
}

/** Plays it from its beginning, and ends whichever played before. */
export async function playSample(src: string): Promise<void> {
  stop()
  for (const other of document.querySelectorAll('audio')) other.pause()
  const audio = new Audio(ownMedia(src))
  audio.volume = volume.peek()
  // On the page, what is played next finds and pauses it.
  document.body.append(audio)
  audio.onpause = () => element === audio && stop()
  element = audio
  const slow = setTimeout(() => toast('The sample is being made: its engine has not answered yet.'), SLOW_MS)
  await audio.play().finally(() => clearTimeout(slow))
  // Another one was pressed while this one was loaded.
  if (element === audio) heard.value = pathOf(src)
}

function stop(): void {
  const ended = element
  element = null
  ended?.pause()
  ended?.remove()
  heard.value = null
}
