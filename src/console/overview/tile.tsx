import { Sparkline } from './sparkline.tsx'

interface TileProps {
  readonly name: string
  readonly value: string
  readonly note: string
  /** How it went, hour by hour. */
  readonly line?: readonly number[]
  readonly tone?: 'red'
  /** The used part of a whole. */
  readonly share?: number
}

/** A figure with its name and what explains it. */
export const Tile = ({ name, value, note, line, tone, share }: TileProps) => (
  <div class="tile">
    <span class="tile-name">{name}</span>
    <span class="tile-value">{value}</span>
    <span class="tile-note">{note}</span>
    {share !== undefined && (
      <meter min={0} max={1} low={0.8} high={0.999} optimum={0} value={Math.min(1, share)} aria-label={name} />
    )}
    {line !== undefined && <Sparkline values={line} {...(tone && { tone })} />}
  </div>
)
