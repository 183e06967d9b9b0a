import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { theme } from '../shell/theme.ts'

const HEIGHT_PX = 200

interface ChartProps {
  /** Beginnings of the steps, in seconds. */
  readonly times: readonly number[]
  readonly values: readonly number[]
  readonly tone: 'accent' | 'red'
  readonly format: (value: number) => string
  readonly formatTime: (ms: number) => string
}

/** One series as an area with a crosshair. Decoration: its numbers stand in the table below it. */
export function Chart({ times, values, tone, format, formatTime }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState<number | null>(null)
  const chosen = theme.value
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const plot = new uPlot(optionsOf(element, tone, format, formatTime, setShown), [[...times], [...values]], element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, values, tone, chosen])
  const index = shown === null ? null : shown
  return (
    <div class={`chart ${tone}`} aria-hidden="true">
      <p class="chart-value">
        {index === null || times[index] === undefined
          ? ' '
          : `${formatTime(times[index] * 1000)} · ${format(values[index] ?? 0)}`}
      </p>
      <div ref={box} />
    </div>
  )
}

function optionsOf(
  element: HTMLElement,
  tone: ChartProps['tone'],
  format: (value: number) => string,
  formatTime: (ms: number) => string,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(element)
  const stroke = style.color
  const axis = {
    stroke: style.getPropertyValue('outline-color'),
    font: '12px system-ui',
    ticks: { show: false },
    gap: 6,
  }
  const grid = { stroke: style.getPropertyValue('border-top-color'), width: 1 }
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 8, fill: stroke }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 110,
        size: 28,
        values: (_plot, splits) => splits.map((value) => formatTime(value * 1000)),
      },
      { ...axis, grid, size: 52, values: (_plot, splits) => splits.map((value) => format(value)) },
    ],
    series: [
      {},
      {
        stroke,
        width: 2,
        fill: areaOf(tone, stroke),
        points: { show: false },
        ...(uPlot.paths.spline && { paths: uPlot.paths.spline() }),
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

/** From a tint at the top to nothing at the foot. */
function areaOf(tone: ChartProps['tone'], stroke: string): uPlot.Series.Fill {
  return ({ ctx, bbox }) => {
    const gradient = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height)
    gradient.addColorStop(0, `color-mix(in oklab, ${stroke} ${tone === 'red' ? 24 : 28}%, transparent)`)
    gradient.addColorStop(1, `color-mix(in oklab, ${stroke} 2%, transparent)`)
    return gradient
  }
}
