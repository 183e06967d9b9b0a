const WIDTH = 100
const HEIGHT = 28
/** The bar's share of a step's width. */
const FULL = 0.68

/** How a figure went, step by step, without axes. Decoration: the figure stands next to it. */
export function Sparkline({ values, tone }: { values: readonly number[]; tone?: 'red' }) {
  const most = Math.max(...values, 0)
  if (values.length < 2) return null
  const step = WIDTH / values.length
  const bars = values.map((value, index) => {
    // Any value above zero is visible; zero is a line on the ground.
    const height = value === 0 || most === 0 ? 1 : Math.max(3, (value / most) * HEIGHT)
    const left = (index + (1 - FULL) / 2) * step
    return [value === 0, `M${left.toFixed(1)},${HEIGHT}v${-height.toFixed(1)}h${(FULL * step).toFixed(1)}V${HEIGHT}z`]
  })
  const drawn = (isNone: boolean): string => bars.flatMap(([none, bar]) => (none === isNone ? [bar] : [])).join('')
  return (
    <svg
      class={tone === 'red' ? 'sparkline red' : 'sparkline'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="ground" d={drawn(true)} />
      <path d={drawn(false)} />
    </svg>
  )
}
