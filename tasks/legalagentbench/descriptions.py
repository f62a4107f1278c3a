"""What the tools and their parameters are for, in Chinese: the words that models, people and `moot tools list`
read."""

from __future__ import annotations

PARAMETERS: dict[str, tuple[str, str, bool, str]] = {
    "identifier": ("identifier", "text", True, "查询对象，写法须与库中完全一致"),
    "columns": ("columns", "list", True, "要返回的列名，按此顺序给出；空列表表示全部列"),
    "prov": ("prov", "text", True, "省份；直辖市写市名，如北京市"),
    "city": ("city", "text", True, "城市；直辖市同样写市名"),
    "county": ("county", "text", True, "区县"),
    "query": ("identifier", "text", True, "检索内容，一句话或若干关键词"),
    "k": ("k", "integer", False, "返回条数"),
    "numbers": ("identifier", "list", True, "数值列表，元素为数字或“3.87亿”“459.15万”这样的文本"),
    "sortable": ("identifier", "list", True, "数值列表，也可以是“2014年05月12日”这样的日期"),
    "is_desc": ("is_desc", "boolean", False, "True 为从大到小；缺省 False，从小到大"),
    "minuend": ("minuend", "number", True, "被减数"),
    "subtrahend": ("subtrahend", "number", True, "减数"),
    "dividend": ("dividend", "number", True, "被除数"),
    "divisor": ("divisor", "number", True, "除数，不得为零"),
    "answer": ("answer", "text", True, "完整的答案"),
}
"""Kind of parameter -> its name, type, whether it must be given, and what to write."""

DESCRIPTIONS: dict[str, str] = {
    "get_company_info": "按公司名称、公司简称或公司代码查一家上市公司的基本信息。",
    "get_company_register": "按公司名称查一家公司的工商登记信息。",
    "get_company_register_name": "按统一社会信用代码查公司名称，只返回名称。",
    "get_sub_company_info": "按子公司名称查它与上市公司（母公司）的关系、参股比例和投资金额。",
    "get_sub_company_info_list": "按上市公司全称列出它投资的全部子公司。",
    "get_legal_document": "按案号查一份裁判文书的要点：当事人、律师事务所、案由、金额、结果。",
    "get_legal_document_company_list": "按公司名称列出以它为关联公司的全部裁判文书。",
    "get_legal_document_law_list": "按律师事务所名称列出由它代理原告或被告的裁判文书。",
    "get_court_info": "按法院名称查法院的负责人、地址、电话等信息。",
    "get_court_info_list": "按省、市、区县列出当地的全部法院。",
    "get_court_code": "按法院名称或法院代字互查，并给出法院级别和区划代码；案号中年份之后、"
    "案件类型之前的部分即法院代字。",
    "get_lawfirm_info": "按律师事务所名称查负责人、注册资本、成立日期、地址、电话等信息。",
    "get_lawfirm_info_list": "按省、市、区县列出当地的全部律师事务所。",
    "get_lawfirm_log": "按律师事务所名称查业务量排名和服务上市公司的记录。",
    "get_address_info": "按完整地址查它所属的省份、城市和区县。",
    "get_legal_abstract": "按案号查一份裁判文书的文本摘要。",
    "get_restriction_case": "按案号查一件限制高消费案件。",
    "get_restriction_case_company_list": "按公司名称列出它被限制高消费的全部案件。",
    "get_restriction_case_court_list": "按执行法院列出该院的全部限制高消费案件。",
    "get_finalized_case": "按案号查一件终结本次执行的案件。",
    "get_finalized_case_company_list": "按公司名称列出它的全部终本案件。",
    "get_finalized_case_court_list": "按执行法院列出该院的全部终本案件。",
    "get_dishonesty_case": "按案号查一件失信被执行案件。",
    "get_dishonesty_case_company_list": "按公司名称列出它的全部失信被执行案件。",
    "get_dishonesty_case_court_list": "按执行法院列出该院的全部失信被执行案件。",
    "get_administrative_case": "按文号查一件行政处罚。",
    "get_administrative_case_company_list": "按公司名称列出它受到的全部行政处罚。",
    "get_administrative_case_court_list": "按处罚单位列出该单位作出的全部行政处罚。",
    "legal_knowledge_retriever": "检索法律知识片段，默认返回五条。",
    "legal_article_retriever": "检索法律、行政法规和司法解释的条文，默认返回五条。",
    "legal_case_retriever": "检索指导性案例和典型案例，默认返回一篇。",
    "get_sum": "求一列数的和；带“万”“亿”的文本会换算成数。",
    "get_subtraction": "求两数之差。",
    "get_multiplication": "求一列数的积。",
    "get_division": "求两数之商。",
    "get_rank": "给一列数或日期排序，日期以八位整数给出。",
    "finish": "查明之后用它作答，任务随即结束；行动名也可写 Final Answer。",
}
"""Tool -> what it does."""

TABLE_DESCRIPTIONS: dict[str, str] = {
    "CompanyInfo": "上市公司基本信息",
    "CompanyRegister": "公司工商登记",
    "SubCompanyInfo": "子公司与其上市母公司",
    "LegalDoc": "裁判文书",
    "CourtInfo": "法院基本信息",
    "CourtCode": "法院代字与级别",
    "LawfirmInfo": "律师事务所基本信息",
    "LawfirmLog": "律师事务所业务记录",
    "AddrInfo": "地址所属省市区县",
    "LegalAbstract": "裁判文书摘要",
    "RestrictionCase": "限制高消费案件",
    "FinalizedCase": "终结本次执行案件",
    "DishonestyCase": "失信被执行案件",
    "AdministrativeCase": "行政处罚案件",
}
"""Table -> what it holds, in a few words."""
