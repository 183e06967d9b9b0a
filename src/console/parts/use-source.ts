import { useEffect, useRef, useState } from 'preact/hooks'

export type AudioRef = { readonly current: HTMLAudioElement | null }

/**
 * What the element is to play. Each signature has another URL: of the same sound the one that is being heard stays, unless it has failed.
 * Another one, such as the file after the live sound, goes on where that was.
 */
export function useSource(audio: AudioRef, src: string | null): string | null {
  const [source, setSource] = useState(src)
  useEffect(() => {
    const element = audio.current
    if (element === null || source === src) return
    const isMidway = source !== null && !element.ended && element.currentTime > 0
    if (isMidway && element.error === null && pathOf(source) === pathOf(src)) return
    if (isMidway) goOn(element)
    setSource(src)
  }, [src, source])
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

/** Once the next source is there, from the same position, as it was played or paused. */
function goOn(element: HTMLAudioElement): void {
  const { currentTime, paused } = element
  const takeUp = (): void => {
    element.currentTime = currentTime
    if (!paused) void element.play().catch(() => {})
  }
  element.addEventListener('loadedmetadata', takeUp, { once: true })
}

const pathOf = (url: string | null): string | null => url?.replace(/\?.*$/s, '') ?? null
