import { spokenForms, wordsOf } from '../table.ts'

/** In a value `#` stands for the number; without it the number comes first. Entries are two spaces apart. */

export const UNITS = spokenForms(`
  mm | 毫米
  cm | 厘米
  dm | 分米
  m | 米
  km | 千米
  nm | 纳米
  µm,μm | 微米
  mm² | 平方毫米
  cm² | 平方厘米
  m²,m2,sqm | 平方米
  km²,km2 | 平方千米
  cm³ | 立方厘米
  m³,m3 | 立方米
  ha | 公顷
  mg | 毫克
  g | 克
  kg | 千克
  t | 吨
  µg,μg | 微克
  lb | 磅
  oz | 盎司
  ml,mL,cc | 毫升
  ML | 兆升
  cl | 厘升
  dl,dL | 分升
  l,L | 升
  ms | 毫秒
  s,sec | 秒
  min | 分钟
  h,hr | 小时
  d | 天
  Hz | 赫兹
  kHz | 千赫兹
  MHz | 兆赫兹
  GHz | 吉赫兹
  W | 瓦
  kW,KW | 千瓦
  MW | 兆瓦
  GW | 吉瓦
  kWh | 千瓦时
  Wh | 瓦时
  V | 伏
  kV | 千伏
  mV | 毫伏
  A | 安
  mA | 毫安
  mAh | 毫安时
  Ω | 欧姆
  kΩ | 千欧
  J | 焦耳
  kJ | 千焦
  cal | 卡
  kcal | 千卡
  N | 牛
  Pa | 帕
  kPa | 千帕
  hPa | 百帕
  MPa | 兆帕
  mmHg | 毫米汞柱
  dB | 分贝
  lm | 流明
  lx | 勒克斯
  mol | 摩尔
  mmol | 毫摩尔
  μmol,µmol | 微摩尔
  rpm | 转每分
  B | 字节
  KB,kB | KB
  MB | MB
  GB | GB
  TB | TB
  Mbps | 兆比特每秒
  Gbps | 吉比特每秒
  kbps | 千比特每秒
  px | 像素
  dpi | DPI
  fps | 帧每秒
  bpm | 次每分
  F | 楼
  km/h | 千米每小时
  m/s | 米每秒
  mph | 英里每小时
  in | 英寸
  ft | 英尺
  mi | 英里
  °C,℃ | 摄氏度
  °F,℉ | 华氏度
  ° | 度
  % | 百分之#
  ‰ | 千分之#
  ‱ | 万分之#
  ppm | 百万分之#
`)

export const CURRENCIES = spokenForms(`
  $,US$,USD | 美元
  €,EUR | 欧元
  £,GBP | 英镑
  ¥,￥,CNY,RMB | 元
  JP¥,JPY | 日元
  ₩,KRW | 韩元
  HK$,HKD | 港元
  NT$,TWD | 新台币
  MOP | 澳门元
  S$,SGD | 新加坡元
  A$,AUD | 澳元
  C$,CAD | 加元
  NZD | 新西兰元
  CHF | 瑞士法郎
  ₽,RUB | 卢布
  ₹,INR | 卢比
  ₫,VND | 越南盾
  ฿,THB | 泰铢
  ₺,TRY | 里拉
  ₴ | 格里夫纳
  ₱,PHP | 比索
  ₪ | 谢克尔
  ₿,BTC | 比特币
  BRL,R$ | 雷亚尔
  MXN | 墨西哥比索
  SEK | 瑞典克朗
  NOK | 挪威克朗
  DKK | 丹麦克朗
  MYR | 林吉特
  IDR | 印尼盾
  ZAR | 兰特
`)

/** Latin abbreviations. One that ends in a period needs it. */
export const ABBREVIATIONS = spokenForms(`
  Dr | Doctor
  Mr | Mister
  Mrs | Missis
  Ms | Miz
  Prof | Professor
  Jr | Junior
  Ltd | Limited
  Inc | Incorporated
  Corp | Corporation
  Co. Ltd | 有限公司
  vs | 对
  etc | 等等
  e.g | 例如
  i.e | 即
  a.m,A.M | 上午
  p.m,P.M | 下午
  et al | 等人
  St. | Saint
  Sr. | Senior
  Mt. | Mount
  Co. | Company
  Fig. | 图
  Figs. | 图
  Tab. | 表
  Vol. | 卷
  Ver. | 版本
  ver. | 版本
  Ch. | Chapter
  Sec. | Section
  Eq. | 公式
  Ref. | 参考
  Jan. | 一月
  Feb. | 二月
  Mar. | 三月
  Apr. | 四月
  Jun. | 六月
  Jul. | 七月
  Aug. | 八月
  Sep.,Sept. | 九月
  Oct. | 十月
  Nov. | 十一月
  Dec. | 十二月
  approx. | 大约
  max. | 最大
  min. | 最小
  Tel. | 电话
  Ext.,ext. | 分机
  Gen. | General
  Capt. | Captain
  Rev. | Reverend
  Sen. | Senator
  Gov. | Governor
`)

/** Inside of addresses and file names. */
export const MARKS = spokenForms(`
  . | 点
  / | 斜杠
  : | 冒号
  - | 杠
  _ | 下划线
  @ | 艾特
  ? | 问号
  = | 等于
  & | 和
  # | 井号
  % | 百分号
  + | 加号
  ~ | 波浪号
  ! | 感叹号
`)

export const SYMBOLS = spokenForms(`
  & | 和
  % | 百分号
  ‰ | 千分号
  ‱ | 万分号
  + | 加
  − | 减
  ± | 正负
  ∓ | 负正
  × | 乘
  ÷ | 除以
  = | 等于
  ≠ | 不等于
  ≈ | 约等于
  ≡ | 恒等于
  ≅ | 全等于
  < | 小于
  > | 大于
  ≤ | 小于等于
  ≥ | 大于等于
  ≪ | 远小于
  ≫ | 远大于
  √ | 根号
  ∛ | 立方根号
  ∞ | 无穷大
  ∝ | 正比于
  ∑ | 求和
  ∏ | 求积
  ∫ | 积分
  ∂ | 偏导
  ∆ | 德尔塔
  ∇ | 梯度
  ∀ | 任意
  ∃ | 存在
  ∄ | 不存在
  ∈ | 属于
  ∉ | 不属于
  ∅ | 空集
  ∩ | 交
  ∪ | 并
  ⊂,⊆ | 包含于
  ⊃,⊇ | 包含
  ∧ | 与
  ∨ | 或
  ¬ | 非
  ∠ | 角
  ⊥ | 垂直于
  ∥ | 平行于
  ∴ | 所以
  ∵ | 因为
  ° | 度
  ′,¢ | 分
  ″ | 秒
  ·,∙,⋅ | 点
  ^ | 的幂
  ~ | 波浪号
  \\ | 反斜杠
  № | 编号
  @ | 艾特
  # | 井号
  § | 节
  ¶ | 段
  † | 剑号
  ‡ | 双剑号
  © | 版权所有
  ℃ | 摄氏度
  ℉ | 华氏度
  ℓ,♯ | 升
  Ω | 欧姆
  ℮ | 估计量
  $ | 美元
  € | 欧元
  £ | 英镑
  ¥,￥ | 元
  ₩ | 韩元
  ₽ | 卢布
  ₹ | 卢比
  ₫ | 越南盾
  ฿ | 泰铢
  ₺ | 里拉
  ₴ | 格里夫纳
  ₱ | 比索
  ₪ | 谢克尔
  ₿ | 比特币
  ₦ | 奈拉
  ₡ | 科朗
  ₲ | 瓜拉尼
  ₵ | 塞地
  ₸ | 坚戈
  ₮ | 图格里克
  ₭ | 基普
  ₼ | 马纳特
  ₾ | 拉里
  ¤ | 货币
  → | 箭头
  ← | 左箭头
  ↑ | 上箭头
  ↓ | 下箭头
  ↔ | 双向箭头
  ⇒ | 推出
  ⇔ | 等价于
  ★,☆ | 星
  ● | 圆点
  ○ | 圆圈
  ◎ | 双圆圈
  ■,♦ | 方块
  □ | 方框
  ▲,△ | 三角
  ▼,▽ | 倒三角
  ▶ | 播放
  ◆,◇ | 菱形
  ※ | 注
  ♀ | 女
  ♂ | 男
  ♠ | 黑桃
  ♥ | 红桃
  ♣ | 梅花
  ♪,♫ | 音符
  ♭ | 降
  ☎ | 电话
  ✓,✔ | 对勾
  ✗,✘ | 叉
  ½ | 二分之一
  ⅓ | 三分之一
  ⅔ | 三分之二
  ¼ | 四分之一
  ¾ | 四分之三
  ⅕ | 五分之一
  ⅖ | 五分之二
  ⅗ | 五分之三
  ⅘ | 五分之四
  ⅙ | 六分之一
  ⅚ | 六分之五
  ⅛ | 八分之一
  ⅜ | 八分之三
  ⅝ | 八分之五
  ⅞ | 八分之七
`)

/** Words of letters that are spelled in capitals wherever they stand. */
export const ACRONYMS =
  'nba cba ufo ceo cfo cto coo mvp iq eq mba atm vip cpu gpu gps usb app dvd cd diy pk ktv wto gdp ppt pdf ok ai it hr pc tv dna hiv nasa html sql led lcd spa'

/** 2 before these is 两. */
export const MEASURE_WORDS =
  '个|只|条|位|名|本|张|辆|件|双|对|把|块|瓶|杯|次|倍|天|年|周|小时|分钟|秒钟|点|刻钟|千|百万|万|亿|岁|家|所|座|项|种|类|份|封|首|场|届|台|部|支|枝|棵|颗|头|匹|口|间|栋|幢|套|顿|趟|遍|元|块|美元|欧元|英镑|米|公里|千米|厘米|毫米|公斤|千克|克|斤|吨|升|毫升|亩|公顷|平方|立方|人份|人|扇|片|粒|滴|碗|盘|盒|箱|袋|包|罐|桶|串|束|朵|根|段|节|章|篇|句|幅|架|艘|列|枚|门|户|组|批|队|排|圈|步|局|盘|代|股|尾|盏|副|勺|汤匙|茶匙|星期|礼拜|季度|个月|成|者|国|侧|端|旁|边'
/** These begin with a measure word, but 2 before them is a number: 2年级. */
export const NOT_MEASURED =
  '年级|点[\\d一二三四五六七八九零]|人称|次元|元[次一]|把手|代[表替]|块钱以|段锦|节课$|路|单元|国道|栋\\d'

export const GREEK_LETTERS = wordsOf(`
  阿尔法 贝塔 伽马 德尔塔 艾普西龙 泽塔 伊塔 西塔 约塔 卡帕 兰姆达 缪 纽 克西 奥密克戎 派 柔 西格玛 陶 宇普西龙 斐 开 普西 欧米伽
`)
