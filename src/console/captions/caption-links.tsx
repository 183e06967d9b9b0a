import { asApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { useAction } from '../api/use-action.ts'
import { captionFile } from '../operations.ts'
import { toast } from '../parts/toast.tsx'

const TYPES = { VTT: 'text/vtt', SRT: 'application/x-subrip' } as const

interface CaptionLinksProps {
  readonly jobId: string
  /** The file name without its ending. */
  readonly name: string
}

/** Captions as files: they are made when they are asked for. The menu is closed by then, so a failure is a toast. */
export function CaptionLinks({ jobId, name }: CaptionLinksProps) {
  const save = useAction(async (format: 'VTT' | 'SRT') => {
    try {
      const { voiceJob } = await ask(captionFile, { jobId, format })
      const url = URL.createObjectURL(new Blob([voiceJob.captions ?? ''], { type: TYPES[format] }))
      const download = `${name}.${format.toLowerCase()}`
      Object.assign(document.createElement('a'), { href: url, download }).click()
      URL.revokeObjectURL(url)
    } catch (error) {
      toast(`The captions were not saved: ${asApiError(error).message}`)
    }
  })
  return (
    <>
      {(['VTT', 'SRT'] as const).map((format) => (
        <button
          key={format}
          type="button"
          class="menu-item"
          aria-disabled={save.isOff}
          onClick={() => save.run(format)}
        >
          {format} captions
        </button>
      ))}
    </>
  )
}
