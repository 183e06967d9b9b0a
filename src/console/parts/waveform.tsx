import { useEffect, useRef } from 'preact/hooks'
import { theme, whenRecoloured } from '../shell/theme.ts'

const BAR_PX = 3
const GAP_PX = 2
/** As many as a waveform holds on a wide screen. */
export const PEAKS = 160
const QUIET = 0.06

interface WaveformProps {
  /** Null: not known yet, drawn flat. */
  readonly peaks: Float32Array | null
  /** How much is played, from 0 to 1. */
  readonly played: number
}

/** Decoration: the slider above it says where the player is. */
export function Waveform({ peaks, played }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const chosen = theme.value
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const paint = (): void => draw(element, peaks, played)
    paint()
    const observer = new ResizeObserver(paint)
    observer.observe(element)
    const stop = whenRecoloured(paint)
    return () => {
      stop()
      observer.disconnect()
    }
  }, [peaks, played, chosen])
  return (
    <span class="wave" aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  )
}

function draw(canvas: HTMLCanvasElement, peaks: Float32Array | null, played: number): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const { clientWidth: width, clientHeight: height } = canvas
  const scale = window.devicePixelRatio
  canvas.width = width * scale
  canvas.height = height * scale
  context.scale(scale, scale)
  const style = getComputedStyle(canvas)
  const [on, off] = [style.getPropertyValue('accent-color'), style.getPropertyValue('border-top-color')]
  const bars = Math.max(1, Math.floor((width + GAP_PX) / (BAR_PX + GAP_PX)))
  for (let bar = 0; bar < bars; bar++) {
    const level = Math.max(QUIET, peaks === null ? QUIET : peakAt(peaks, bar / bars, (bar + 1) / bars))
    const size = Math.max(BAR_PX, level * (height - 4))
    context.fillStyle = bar / bars < played ? on : off
    context.beginPath()
    context.roundRect(bar * (BAR_PX + GAP_PX), (height - size) / 2, BAR_PX, size, BAR_PX / 2)
    context.fill()
  }
}

function peakAt(peaks: Float32Array, from: number, to: number): number {
  const first = Math.floor(from * peaks.length)
  return Math.max(...peaks.subarray(first, Math.max(first + 1, Math.floor(to * peaks.length))))
}
