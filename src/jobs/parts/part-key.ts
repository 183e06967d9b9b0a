/** Where the parts of an attempt's speech are. */
export const partsFolder = (jobId: string, attempt: number): string => `${jobId}/${attempt}/live`

/** One of them, counted from 0: a WAV file. */
export const partKey = (jobId: string, attempt: number, index: number): string =>
  `${partsFolder(jobId, attempt)}/${index}.wav`
