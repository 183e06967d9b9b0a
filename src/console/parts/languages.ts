/** The languages that the service tells apart, in its spelling. */
export const LANGUAGES: readonly string[] = [
  'Chinese',
  'English',
  'French',
  'German',
  'Italian',
  'Japanese',
  'Korean',
  'Portuguese',
  'Russian',
  'Spanish',
]
