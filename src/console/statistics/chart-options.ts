import uPlot from 'uplot'
import type { Line } from './series.ts'

export type Shape = 'bars' | 'steps' | 'line'

export interface ChartProps {
  readonly line: Line
  readonly tone: 'accent' | 'red'
  /** `bars` for what is counted in a step, `steps` for what stands through it, `line` for what is measured. */
  readonly shape: Shape
  readonly format: (value: number) => string
  readonly formatTime: (ms: number) => string
  /** Its steps are days of UTC, which its axis begins with as well; else they are those of the browser. */
  readonly isUtcDay: boolean
  /** A stretch was drawn over it, in milliseconds. */
  readonly onZoom: (from: number, to: number) => void
}

export const HEIGHT_PX = 190
/** The width of the vertical axis: as wide as its longest label, which may say minutes and seconds. */
const MIN_AXIS_PX = 44
const LABEL_GAP_PX = 16
const CHARACTER_PX = 6.6
/** A shorter drag is a press. */
const MIN_DRAG_PX = 8
const WHOLE_STEPS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].flatMap((power) => [power, 2 * power, 5 * power])
const MAX_BAR_PX = 28
/** How much of a step its bar takes. */
const BAR_SHARE = 0.72

type Latest = { readonly current: ChartProps }
type Colour = (name: string) => () => string

/** Colours are read at each drawing, since the theme may change under it. */
export function optionsOf(
  element: HTMLElement,
  latest: Latest,
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const colour: Colour = (name) => () => getComputedStyle(element).getPropertyValue(name)
  const { line, tone, shape, isUtcDay } = latest.current
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 32, 0, 0],
    legend: { show: false },
    ...(isUtcDay && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') }),
    cursor: {
      y: false,
      points: { size: shape === 'bars' ? 0 : 8, fill: colour('color') },
      drag: { x: true, y: false, setScale: false, dist: MIN_DRAG_PX },
    },
    // The last step is as wide as the others.
    scales: {
      x: { range: (_plot, min, max) => [min, max + stepOf(line)] },
      y: { range: (_plot, _min, max) => [0, topOf(shape, max ?? 0)] },
    },
    axes: axesOf(latest, shape, colour),
    series: seriesOf(tone, shape, line, colour),
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

/** A single count leaves room above it; what is measured, as a share of a second, fills the chart. */
const topOf = (shape: Shape, max: number): number => (shape === 'line' && max > 0 ? max * 1.1 : Math.max(1, max * 1.1))

const longestOf = (labels: readonly string[]): number => Math.max(0, ...labels.map((label) => label?.length ?? 0))

/** How long a step is, in seconds. */
const stepOf = ({ times: [first = 0, second = first] }: Line): number => (second - first) / 1000

function axesOf(latest: Latest, shape: Shape, colour: Colour): uPlot.Axis[] {
  const axis = {
    stroke: colour('outline-color'),
    font: '12px Inter, sans-serif',
    ticks: { show: false },
    gap: 6,
  }
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
      size: (_plot, labels) => Math.max(MIN_AXIS_PX, LABEL_GAP_PX + CHARACTER_PX * longestOf(labels ?? [])),
      // Half a job is none.
      ...(shape !== 'line' && { incrs: WHOLE_STEPS }),
      values: (_plot, splits) => splits.map((value) => latest.current.format(value)),
    },
  ]
}

function seriesOf(tone: ChartProps['tone'], shape: Shape, line: ChartProps['line'], colour: Colour): uPlot.Series[] {
  const paths = pathsOf(shape)
  // Bars next to bars would be distinguished by colour alone.
  const beforePaths = shape === 'bars' ? pathsOf('steps') : paths
  return [
    {},
    {
      stroke: colour('color'),
      width: shape === 'bars' ? 0 : 2,
      fill: shape === 'bars' ? colour('color') : areaOf(tone, colour('color')),
      // A step between two without a measure is a point.
      points: { show: shape === 'line', size: 5, fill: colour('color') },
      ...(paths && { paths }),
    },
    {
      show: line.before.length > 0,
      stroke: colour('outline-color'),
      width: 1.5,
      dash: [4, 4],
      points: { show: false },
      ...(beforePaths && { paths: beforePaths }),
    },
  ]
}

function pathsOf(shape: Shape): uPlot.Series.PathBuilder | undefined {
  if (shape === 'bars') return uPlot.paths.bars?.({ size: [BAR_SHARE, MAX_BAR_PX], radius: 0.2, align: 1 })
  return shape === 'steps' ? uPlot.paths.stepped?.({ align: 1 }) : uPlot.paths.linear?.()
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
