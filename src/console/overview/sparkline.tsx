const WIDTH = 100
const HEIGHT = 28

/** How a figure went, as a line without axes. Decoration: the figure stands next to it. */
export function Sparkline({ values, tone }: { values: readonly number[]; tone?: 'red' }) {
  const most = Math.max(...values, 0)
  if (values.length < 2 || most === 0) return null
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH
    const y = HEIGHT - 2 - (value / most) * (HEIGHT - 4)
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return (
    <svg
      class={tone === 'red' ? 'sparkline red' : 'sparkline'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="area" d={`M0,${HEIGHT}L${points.join('L')}L${WIDTH},${HEIGHT}Z`} />
      <path class="line" d={`M${points.join('L')}`} />
    </svg>
  )
}
