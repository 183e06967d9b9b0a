import { ownMedia } from '../api/base.ts'
import { Icon } from '../parts/icon.tsx'
import type { Audio } from './takes.ts'

interface DownloadMenuProps {
  readonly audio: Pick<Audio, 'wav' | 'mp3' | 'opus' | 'flac'>
  /** Of the file, without its ending. */
  readonly name: string
}

/** The same speech in each format. */
export const DownloadMenu = ({ audio, name }: DownloadMenuProps) => (
  <details class="drop">
    <summary class="button small">
      <Icon name="download" size={14} /> Download
    </summary>
    <div class="drop-body">
      {(['wav', 'mp3', 'opus', 'flac'] as const).map((format) => (
        <FormatLink key={format} url={audio[format]} name={`${name}.${format}`} format={format} />
      ))}
    </div>
  </details>
)

const FormatLink = ({ url, name, format }: { url: unknown; name: string; format: string }) =>
  typeof url === 'string' ? (
    <a class="menu-item" href={ownMedia(url)} download={name}>
      {format.toUpperCase()}
    </a>
  ) : null
