import { ownMedia } from '../api/base.ts'
import { CaptionLinks } from '../captions/caption-links.tsx'
import { Drop } from '../menus/drop.tsx'
import type { Audio } from './takes.ts'

interface DownloadMenuProps {
  readonly jobId: string
  readonly audio: Pick<Audio, 'wav' | 'mp3' | 'opus' | 'flac' | 'm4b'>
  /** The file name without its ending. */
  readonly name: string
}

/** The same speech in each format that it has, and its captions. */
export const DownloadMenu = ({ jobId, audio, name }: DownloadMenuProps) => (
  <Drop icon="download" text="Download" isSmall>
    {(['wav', 'mp3', 'opus', 'flac', 'm4b'] as const).map((format) => (
      <FormatLink key={format} url={audio[format]} name={`${name}.${format}`} format={format} />
    ))}
    <CaptionLinks jobId={jobId} name={name} />
  </Drop>
)

const FormatLink = ({ url, name, format }: { url: unknown; name: string; format: string }) =>
  typeof url === 'string' ? (
    <a class="menu-item" href={ownMedia(url)} download={name}>
      {format.toUpperCase()}
    </a>
  ) : null
