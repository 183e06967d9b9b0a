import uPlot from 'uplot'
import type { Line } from './series.ts'

export interface ChartProps {
  readonly line: Line
  readonly tone: 'accent' | 'red'
  readonly format: (value: number) => string
  readonly formatTime: (ms: number) => string
  /** A stretch was drawn over it, in milliseconds. */
  readonly onZoom: (from: number, to: number) => void
}

export const HEIGHT_PX = 190
/** A shorter drag is a press. */
const MIN_DRAG_PX = 8

type Latest = { readonly current: ChartProps }
type Colour = (name: string) => () => string

/** Colours are read at each drawing, since the theme may change under it. */
export function optionsOf(
  element: HTMLElement,
  latest: Latest,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const colour: Colour = (name) => () => getComputedStyle(element).getPropertyValue(name)
  const { line, tone } = latest.current
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 8, fill: colour('color') },
      drag: { x: true, y: false, setScale: false, dist: MIN_DRAG_PX },
    },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] } },
    axes: axesOf(latest, colour),
    series: seriesOf(tone, line, colour),
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select
          if (width < MIN_DRAG_PX) return
          const [from, to] = [plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000]
          latest.current.onZoom(from, to)
        },
      ],
    },
  }
}

function axesOf(latest: Latest, colour: Colour): uPlot.Axis[] {
  const axis = { stroke: colour('outline-color'), font: '12px system-ui', ticks: { show: false }, gap: 6 }
  return [
    {
      ...axis,
      grid: { show: false },
      space: 110,
      size: 28,
      values: (_plot, splits) => splits.map((value) => latest.current.formatTime(value * 1000)),
    },
    {
      ...axis,
      grid: { stroke: colour('border-top-color'), width: 1 },
      size: 56,
      values: (_plot, splits) => splits.map((value) => latest.current.format(value)),
    },
  ]
}

function seriesOf(tone: ChartProps['tone'], line: ChartProps['line'], colour: Colour): uPlot.Series[] {
  const spline = uPlot.paths.spline?.()
  return [
    {},
    {
      stroke: colour('color'),
      width: 2,
      fill: areaOf(tone, colour('color')),
      points: { show: false },
      ...(spline && { paths: spline }),
    },
    {
      show: line.before.length > 0,
      stroke: colour('outline-color'),
      width: 1.5,
      dash: [4, 4],
      points: { show: false },
      ...(spline && { paths: spline }),
    },
  ]
}

/** From a tint at the top to nothing at the foot. */
function areaOf(tone: ChartProps['tone'], stroke: () => string): uPlot.Series.Fill {
  return ({ ctx, bbox }) => {
    const gradient = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height)
    gradient.addColorStop(0, `color-mix(in oklab, ${stroke()} ${tone === 'red' ? 24 : 28}%, transparent)`)
    gradient.addColorStop(1, `color-mix(in oklab, ${stroke()} 2%, transparent)`)
    return gradient
  }
}
