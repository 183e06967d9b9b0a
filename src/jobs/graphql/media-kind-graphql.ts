import type { MediaKind } from '../../companion/tag-media.ts'
import { describedEnum } from '../../graphql/described-enum.ts'

export const MediaKindEnum = describedEnum<MediaKind>('MediaKind', 'The kind of a medium.', {
  image: 'A picture.',
  video: 'Moving pictures.',
  audio: 'A recording.',
})
