import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export type AudioRef = { readonly current: HTMLAudioElement | null }

/** How loud all that is heard is, from 0 to 1, for as long as the page is open. */
export const volume = signal(1)

/**
 * Chooses the URL for the element. Each signature makes another URL: the element keeps the one of the same sound, unless it has failed.
 * Another sound, such as the file after the live sound, goes on at the same time.
 * @param src null: nothing new; the current sound goes on
 */
export function useSource(audio: AudioRef, src: string | null): string | null {
  const [source, setSource] = useState(src)
  useEffect(() => {
    const element = audio.current
    if (element === null || source === src) return
    const isMidway = source !== null && !element.ended && element.currentTime > 0
    if (isMidway && element.error === null && (src === null || pathOf(source) === pathOf(src))) return
    if (isMidway) goOn(element)
    setSource(src)
  }, [src, source])
  // An element that is not on the page any more, or has nothing to play, would go on loading; Preact leaves it an empty address.
  useLayoutEffect(() => {
    if (source !== null) return
    audio.current?.removeAttribute('src')
    audio.current?.load()
  }, [source])
  useEffect(() => {
    const element = audio.current
    return () => {
      element?.removeAttribute('src')
      element?.load()
    }
  }, [])
  return source
}

/** Plays what comes, unless the reader has paused it or heard it to its end. */
export function useAutoplay(audio: AudioRef, source: string | null, isAutoplay: boolean): void {
  const isLeft = useRef(false)
  useEffect(() => {
    const element = audio.current
    const leave = (): void => {
      isLeft.current = true
    }
    element?.addEventListener('pause', leave)
    return () => element?.removeEventListener('pause', leave)
  }, [])
  useEffect(() => {
    if (isAutoplay && source !== null && !isLeft.current) void audio.current?.play().catch(() => {})
  }, [isAutoplay, source])
}

/** How an element stands, and what listens to it. @param onError its URL has expired or its file is gone */
export function useAudio(onError: (() => void) | undefined) {
  const [isPlaying, setPlaying] = useState(false)
  const [position, setPosition] = useState(0)
  const [length, setLength] = useState(Number.NaN)
  // The file whose URL is signed again, once, as it has failed: that may have expired.
  const failed = useRef<string | null>(null)
  const [isGone, setGone] = useState(false)
  type Heard = { readonly currentTarget: HTMLAudioElement }
  const measure = ({ currentTarget }: Heard): void => setLength(currentTarget.duration)
  const listeners = {
    onPlay: ({ currentTarget }: Heard) => {
      setPlaying(true)
      // One is heard at a time, so that takes can be compared.
      for (const other of document.querySelectorAll('audio')) if (other !== currentTarget) other.pause()
    },
    onPause: () => setPlaying(false),
    onError: ({ currentTarget }: Heard) => {
      if (!currentTarget.getAttribute('src')) return
      setPlaying(false)
      const path = pathOf(currentTarget.currentSrc)
      setGone(true)
      if (path === failed.current) return
      failed.current = path
      onError?.()
    },
    onTimeUpdate: ({ currentTarget }: Heard) => setPosition(currentTarget.currentTime),
    onSeeked: ({ currentTarget }: Heard) => setPosition(currentTarget.currentTime),
    onEmptied: ({ currentTarget }: Heard) => {
      setPosition(0)
      if (currentTarget.paused) setPlaying(false)
    },
    onDurationChange: measure,
    onLoadedMetadata: (event: Heard) => {
      failed.current = null
      setGone(false)
      measure(event)
    },
  }
  return { isPlaying, isGone, position, length, listeners }
}

/** Once the next source is there, from the same position, as it was played or paused. */
function goOn(element: HTMLAudioElement): void {
  const { currentTime, paused } = element
  const takeUp = (): void => {
    element.currentTime = currentTime
    if (!paused) void element.play().catch(() => {})
  }
  element.addEventListener('loadedmetadata', takeUp, { once: true })
}

/** A file without its signature. */
export const pathOf = (url: string | null): string | null => url?.replace(/\?.*$/s, '') ?? null
