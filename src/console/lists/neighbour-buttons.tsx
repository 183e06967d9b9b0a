import { useLocation } from 'preact-iso/router'
import { Icon } from '../parts/icon.tsx'
import { useLetters } from '../shell/use-letters.ts'

interface NeighbourButtonsProps {
  /** The noun of the target: "job". */
  readonly noun: string
  /** The address of the one above it in its list. */
  readonly previous: string | undefined
  readonly next: string | undefined
}

/** To what stands before and after it in its list, in the place of this screen; j and k do the same. */
export function NeighbourButtons({ noun, previous, next }: NeighbourButtonsProps) {
  const { route } = useLocation()
  const go = (href: string | undefined): void => {
    if (href !== undefined) route(href, true)
  }
  useLetters({ j: () => go(next), k: () => go(previous) })
  const button = (name: string, letter: string, icon: 'left' | 'right', href: string | undefined) => (
    <button
      type="button"
      class="button only-icon"
      aria-label={`${name} ${noun}`}
      title={`${name} ${noun} (${letter})`}
      aria-disabled={!href}
      onClick={() => go(href)}
    >
      <Icon name={icon} />
    </button>
  )
  return (
    <span class="row neighbours">
      {button('Previous', 'k', 'left', previous)}
      {button('Next', 'j', 'right', next)}
    </span>
  )
}
