import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme, whenRecoloured } from '../shell/theme.ts'
import { type ChartProps, HEIGHT_PX, optionsOf } from './chart-options.ts'
import type { Line } from './series.ts'

/**
 * Bars of counts or a line of measures with a crosshair, and the window before it dashed. Decoration: its numbers stand in the table below it, and what drawing
 * over it does buttons do as well.
 */
export function Chart(props: ChartProps) {
  const { line, tone, shape, format, formatTime, isUtcDay } = props
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [shown, setShown] = useState<number | null>(null)
  const chosen = theme.value
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const data = [line.times.map((ms) => ms / 1000), line.values, line.before.length > 0 ? line.before : line.values]
    const plot = new uPlot(optionsOf(element, latest, setShown), data as uPlot.AlignedData, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    observer.observe(element)
    // Bars keep their colours until they are made anew.
    const stop = whenRecoloured(() => plot.setData(plot.data))
    return () => {
      stop()
      observer.disconnect()
      plot.destroy()
    }
  }, [line, tone, shape, isUtcDay, chosen])
  return (
    <div class={`chart ${tone}`} aria-hidden="true">
      <p class="chart-value">{shown === null ? ' ' : valueAt(line, shown, format, formatTime)}</p>
      <div ref={box} />
    </div>
  )
}

function valueAt(
  line: Line,
  index: number,
  format: ChartProps['format'],
  formatTime: ChartProps['formatTime'],
): string {
  const [at, value, before] = [line.times[index], line.values[index], line.before[index]]
  if (at === undefined) return ' '
  const said = (one: number | null | undefined): string => (one == null ? 'none' : format(one))
  return `${formatTime(at)} · ${said(value)}${line.before.length > 0 ? ` · before ${said(before)}` : ''}`
}
