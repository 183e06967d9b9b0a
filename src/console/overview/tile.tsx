import { Sparkline } from './sparkline.tsx'

interface TileProps {
  readonly name: string
  readonly value: string
  readonly note: string
  /** How it went, hour by hour. */
  readonly line?: readonly number[]
  readonly tone?: 'red'
}

/** A figure with its name and what explains it. */
export const Tile = ({ name, value, note, line, tone }: TileProps) => (
  <div class="tile">
    <span class="tile-name">{name}</span>
    <span class="tile-value">{value}</span>
    <span class="tile-note">{note}</span>
    {line !== undefined && <Sparkline values={line} {...(tone && { tone })} />}
  </div>
)
